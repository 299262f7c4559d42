import { usageLimits, uuidOf, type Operations } from '@roster/contracts';
import { deleteInPortions, each, type Session, type Statement } from '@roster/storage';

/** Adds what a gateway has counted, unless the report was added before. */
export const reportUsage = each<Operations['usage.report']>(async ({ input }, session) => {
  const { gateway, sequence, day, requests } = input;
  await session.query(add, [
    ...[gateway, sequence, day],
    requests.map(({ workspaceId }) => uuidOf('workspace', workspaceId)),
    requests.map((one) => one.requests),
  ]);
  return { added: true as const };
});

/**
 * A gateway sends its next report when this one is answered: a smaller sequence is that of a copy. A workspace that is being deleted
 * gets no row any more: one that a late report added would remain. In the order of the key, so that two reports do not deadlock. The sum
 * is bounded: a false report must not make those of other gateways fail.
 */
const add: Statement = {
  name: 'usage.add',
  text: `
    with added as (
      insert into users.usage_reports as r (gateway, sequence) values ($1, $2)
      on conflict (gateway) do update set sequence = excluded.sequence, reported_at = now() where r.sequence < excluded.sequence
      returning 1
    )
    insert into users.usage_days as d (workspace_id, day, requests)
    select w.id, $3::date, i.requests
    from unnest($4::uuid[], $5::bigint[]) as i (workspace_id, requests) join users.workspaces w on w.id = i.workspace_id
    where w.status <> 'deleting' and exists (select from added) order by w.id
    on conflict (workspace_id, day) do update set requests = least(d.requests + excluded.requests, ${Number.MAX_SAFE_INTEGER})`,
};

/** Deletes what is older than usage is kept. */
export async function forgetUsage(session: Session): Promise<void> {
  for (const statement of forget)
    await deleteInPortions(session, statement, [usageLimits.daysKept]);
}

// May scan the whole table. Rows that another process locks are left to it, or to the next run.
const forget = [
  ['usage_days', 'day'],
  ['usage_reports', 'reported_at'],
].map(([table, time]): Statement => ({
  name: `usage.forget-${table}`,
  plan: 'any',
  text: `
    delete from users.${table} where ctid = any (array(
      select ctid from users.${table} where ${time} < now() - $1 * interval '1 day' limit $2 for update skip locked
    )) returning 1`,
}));
