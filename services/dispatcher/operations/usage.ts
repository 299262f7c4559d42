import { usageLimits, uuidOf, type Operations } from '@roster/contracts';
import { deleteInPortions, each, type Session, type Statement } from '@roster/storage';

/** The attempts of days, as their webhooks count them by hour. */
export const getUsage = each<Operations['dispatcher.usage']>(async ({ input }, session) => {
  const { workspaceId, from, to } = input;
  const values = [uuidOf('workspace', workspaceId), from, to];
  return { days: await session.query<DayRow>(select, values) };
});

interface DayRow {
  day: string;
  attempts: number;
  succeeded: number;
}

const today = `(now() at time zone 'utc')::date`;

const select: Statement = {
  name: 'usage.days',
  text: `
    select day::text, attempts::float8, successes::float8 as succeeded from dispatcher.usage_days
    where workspace_id = $1 and day between $2::date and $3::date and day <> ${today}
    union all
    select ${today}::text, sum(attempts)::float8, sum(successes)::float8 from dispatcher.webhook_hours
    where workspace_id = $1 and hour >= ${today}::timestamp at time zone 'utc' and ${today} between $2::date and $3::date
    having count(*) > 0`,
};

/** Hours are kept for this long before the current day. */
const hoursKeptDays = 7;

/**
 * Stores the sums of the hours of days, which are kept for longer than the hours, and deletes old ones.
 *
 * @param before days before the current one: all whose hours are kept, unless they were stored since
 */
export async function countDays(session: Session, before = hoursKeptDays): Promise<void> {
  await session.query(count, [before]);
  await deleteInPortions(session, forget, [usageLimits.daysKept]);
}

/** `countDays` at every call: the hours of the day before may have changed since the last one. */
export function dayCounter(session: Session): () => Promise<void> {
  let before: number | undefined;
  return async () => {
    await countDays(session, before);
    before = 1;
  };
}

/**
 * Of all workspaces, for whole days. The hours of an attempt that was recorded late are there when it runs again. In the order of the
 * key, so that two processes do not deadlock.
 */
const count: Statement = {
  name: 'usage.count-days',
  plan: 'any',
  text: `
    insert into dispatcher.usage_days as d (workspace_id, day, attempts, successes)
    select workspace_id, (hour at time zone 'utc')::date as day, sum(attempts), sum(successes) from dispatcher.webhook_hours
    where hour >= (${today} - $1::int)::timestamp at time zone 'utc' group by workspace_id, day order by workspace_id, day
    on conflict (workspace_id, day) do update set attempts = excluded.attempts, successes = excluded.successes
      where (d.attempts, d.successes) <> (excluded.attempts, excluded.successes)`,
};

// May scan the whole table. Rows that another process locks are left to it, or to the next run.
const forget: Statement = {
  name: 'usage.forget',
  plan: 'any',
  text: `
    delete from dispatcher.usage_days where ctid = any (array(
      select ctid from dispatcher.usage_days where day < now() - $1 * interval '1 day' limit $2 for update skip locked
    )) returning 1`,
};
