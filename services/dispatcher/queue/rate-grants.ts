import type { Database, Statement } from '@roster/storage';
import type { LimitedWebhook } from '../slots/rate-limits.js';

/**
 * Takes up to `wanted` attempts from the bucket of a webhook. All processes share it, and it survives their restarts. It holds half
 * a second of the rate, and at least one attempt.
 *
 * @returns how many were granted
 */
export async function grantAttempts(
  database: Database,
  { workspaceId, id, ratePerSecond }: LimitedWebhook,
  wanted: number,
): Promise<number> {
  const [row] = await database.query<{ granted: number }>(takeAttempts, [
    ...[workspaceId, id, ratePerSecond, wanted],
    Math.max(1, ratePerSecond / 2),
  ]);
  return row!.granted;
}

/** $3: the rate; $5: the size of the bucket. A process that waited for the row may have an older now: it is granted less. */
export const takeAttempts: Statement = {
  name: 'dispatcher.take-attempts',
  text: `
    insert into dispatcher.webhook_rates as r (workspace_id, webhook_id, free_at, granted)
    values ($1, $2, now() + ($4::int - $5::float8) / $3::float8 * interval '1 second', $4::int)
    on conflict (workspace_id, webhook_id) do update
    set (free_at, granted) = (
      select b.since + t.granted / $3::float8 * interval '1 second', t.granted
      from (select greatest(r.free_at, now() - $5::float8 / $3::float8 * interval '1 second') as since) b,
        lateral (
          select greatest(0, least($4::int, floor(extract(epoch from now() - b.since)::float8 * $3::float8 + 1e-6)))::int as granted
        ) t
    )
    returning granted`,
};

/** Forgets webhooks whose bucket has been full for long. */
export const forgetRates = (database: Database): Promise<unknown> => database.query(forget, []);

const forget: Statement = {
  name: 'dispatcher.forget-rates',
  text: `delete from dispatcher.webhook_rates where free_at < now() - interval '1 hour'`,
};
