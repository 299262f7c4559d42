import type { Database, Statement } from '@roster/storage';
import type { Outcome } from './delivery.js';

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

/** Upper bounds of the buckets, in milliseconds. One more bucket counts longer durations. */
export const durationBoundsMs = [
  1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000,
  7000, 10_000, 15_000,
] as const;

export const durationBuckets = durationBoundsMs.length + 1;

/** Index of the bucket of a duration. */
export function bucketOf(ms: number): number {
  const index = durationBoundsMs.findIndex((bound) => ms <= bound);
  return index === -1 ? durationBoundsMs.length : index;
}

/** A quantile, interpolated within its bucket; null without durations. */
export function quantile(counts: readonly number[], q: number): number | null {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  const rank = q * total;
  let below = 0;
  for (const [index, count] of counts.entries()) {
    if (count > 0 && below + count >= rank) {
      const low = durationBoundsMs[index - 1] ?? 0;
      const high = durationBoundsMs[index] ?? durationBoundsMs.at(-1)! * 2;
      return Math.round((low + (high - low) * ((rank - below) / count)) * 10) / 10;
    }
    below += count;
  }
  return null;
}
