import { usageLimits, uuidOf, type Operations } from '@roster/contracts';
import { deleteInPortions, each, type Session, type Statement } from '@roster/storage';

/** The number of contacts at the end of days, and now. */
export const getUsage = each<Operations['contacts.usage']>(async ({ input }, session) => {
  const { workspaceId, from, to } = input;
  const values = [uuidOf('workspace', workspaceId), from, to];
  return { days: await session.query<{ day: string; contacts: number }>(select, values) };
});

const today = `(now() at time zone 'utc')::date`;

const select: Statement = {
  name: 'usage.days',
  text: `
    select day::text, contacts::float8 from contacts.usage_days
    where workspace_id = $1 and day between $2::date and $3::date and day <> ${today}
    union all
    select ${today}::text, (select coalesce(sum(total), 0) from contacts.counters where workspace_id = $1)::float8
    where ${today} between $2::date and $3::date`,
};

/** Stores how many contacts every workspace has, as the number of the day until it is stored again, and deletes old numbers. */
export async function countContacts(session: Session): Promise<void> {
  await session.query(count, []);
  await deleteInPortions(session, forget, [usageLimits.daysKept]);
}

/** Of all workspaces. In the order of the key, so that two processes do not deadlock. */
const count: Statement = {
  name: 'usage.count-contacts',
  plan: 'any',
  text: `
    insert into contacts.usage_days as d (workspace_id, day, contacts)
    select workspace_id, ${today}, sum(total) from contacts.counters group by workspace_id order by workspace_id
    on conflict (workspace_id, day) do update set contacts = excluded.contacts where d.contacts <> excluded.contacts`,
};

// May scan the whole table. Rows that another process locks are left to it, or to the next run.
const forget: Statement = {
  name: 'usage.forget',
  plan: 'any',
  text: `
    delete from contacts.usage_days where ctid = any (array(
      select ctid from contacts.usage_days where day < now() - $1 * interval '1 day' limit $2 for update skip locked
    )) returning 1`,
};
