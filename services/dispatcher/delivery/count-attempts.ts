import type { Database, Statement } from '@roster/storage';
import { bucketOf, durationBuckets } from './latency-histogram.js';
import type { Outcome } from './outcome.js';

interface Hour {
  workspaceId: string;
  webhookId: string;
  hour: string;
  attempts: number;
  successes: number;
  durations: number[];
}

/** Adds the attempts of a batch, except those of tests, to the hourly statistics of their webhooks. */
export async function countAttempts(
  database: Database,
  outcomes: readonly Outcome[],
): Promise<void> {
  const hours = hoursOf(outcomes);
  if (hours.length === 0) return;
  await database.query(add, [
    hours.map(({ workspaceId }) => workspaceId),
    hours.map(({ webhookId }) => webhookId),
    hours.map(({ hour }) => hour),
    hours.map(({ attempts }) => attempts),
    hours.map(({ successes }) => successes),
    hours.map(({ durations }) => `{${durations.join(',')}}`),
  ]);
}

function hoursOf(outcomes: readonly Outcome[]): Hour[] {
  const hours = new Map<string, Hour>();
  for (const { delivery, attempt } of outcomes) {
    if (!attempt || attempt.trigger === 'test') continue;
    const { workspaceId, webhookId } = delivery;
    const hour = `${attempt.startedAt.slice(0, 13)}:00:00Z`;
    const key = `${workspaceId} ${webhookId} ${hour}`;
    let entry = hours.get(key);
    if (!entry) {
      entry = {
        workspaceId,
        webhookId,
        hour,
        attempts: 0,
        successes: 0,
        durations: Array(durationBuckets).fill(0),
      };
      hours.set(key, entry);
    }
    entry.attempts += 1;
    if (attempt.error === null) entry.successes += 1;
    entry.durations[bucketOf(attempt.totalMs)]! += 1;
  }
  return [...hours.values()];
}

/** In the order of the key, so that two batches do not deadlock. */
const add: Statement = {
  name: 'dispatcher.count-attempts',
  text: `
    insert into dispatcher.webhook_hours as h (workspace_id, webhook_id, hour, attempts, successes, durations)
    select workspace_id, webhook_id, hour, attempts, successes, durations::bigint[]
    from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::bigint[], $5::bigint[], $6::text[])
      as i (workspace_id, webhook_id, hour, attempts, successes, durations)
    order by workspace_id, webhook_id, hour
    on conflict (workspace_id, webhook_id, hour) do update
      set attempts = h.attempts + excluded.attempts, successes = h.successes + excluded.successes,
        durations = (select array_agg(a + b order by n)
          from unnest(h.durations, excluded.durations) with ordinality as u (a, b, n))`,
};

/** The API shows 7 days. */
export const forgetHours = (database: Database): Promise<unknown> => database.query(forget, []);

const forget: Statement = {
  name: 'dispatcher.forget-hours',
  text: `delete from dispatcher.webhook_hours where hour < now() - interval '8 days'`,
};
