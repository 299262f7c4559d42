import {
  encodeId,
  healthWebhooksMax,
  uuidOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, type Statement } from '@roster/storage';
import { durationBuckets, quantile } from '../delivery/count-attempts.js';

type Health = OutputOf<Operations['webhook-health.get']>['webhooks'][number];

const dayMs = 86_400_000;
const yearOne = Date.parse('0001-01-01T00:00:00Z');

/** Runs one statement for all webhooks of a call. Those that the workspace does not have had no attempts. */
export const webhookHealth = each<Operations['webhook-health.get']>(
  async ({ input, caller }, session) => {
    const until = input.until === undefined ? Date.now() : Date.parse(input.until);
    // PostgreSQL has no year 0.
    const since =
      input.since === undefined ? Math.max(until - dayMs, yearOne) : Date.parse(input.since);
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const ids =
      input.webhookIds?.map((id) => uuidOf('webhook', id)) ??
      (await session.query<{ id: string }>(withAttempts, [workspaceId])).map(({ id }) => id);
    const rows = await session.query<HourRow>(select, [
      ...[workspaceId, ids],
      new Date(since).toISOString(),
      // Without `until`, the current hour is part of the period.
      new Date(input.until === undefined ? until + 3_600_000 : until).toISOString(),
    ]);
    const byWebhook = Map.groupBy(rows, ({ webhook_id: id }) => id);
    return { webhooks: ids.map((id) => healthOf(id, byWebhook.get(id) ?? [])) };
  },
);

function healthOf(id: string, rows: readonly HourRow[]): Health {
  const durations: number[] = Array(durationBuckets).fill(0);
  let [attempts, succeeded] = [0, 0];
  for (const row of rows) {
    attempts += row.attempts;
    succeeded += row.successes;
    for (const [bucket, count] of row.durations.entries()) durations[bucket]! += count;
  }
  return {
    ...{ webhookId: encodeId('webhook', id), attempts, succeeded, failed: attempts - succeeded },
    ...{ p50Ms: quantile(durations, 0.5), p95Ms: quantile(durations, 0.95) },
    hours: rows.map((row) => ({
      hour: new Date(row.hour_ms).toISOString(),
      ...{ succeeded: row.successes, failed: row.attempts - row.successes },
      p95Ms: quantile(row.durations.map(Number), 0.95),
    })),
  };
}

interface HourRow {
  webhook_id: string;
  hour_ms: number;
  attempts: number;
  successes: number;
  durations: number[];
}

/** One look-up in the primary key per webhook. */
const withAttempts: Statement = {
  name: 'dispatcher.webhooks-with-attempts',
  text: `
    with recursive webhooks as (
      (select webhook_id as id from dispatcher.webhook_hours where workspace_id = $1 order by webhook_id limit 1)
      union all
      select (
        select webhook_id from dispatcher.webhook_hours h
        where h.workspace_id = $1 and h.webhook_id > webhooks.id order by h.webhook_id limit 1
      ) from webhooks where webhooks.id is not null
    )
    select id from webhooks where id is not null limit ${healthWebhooksMax}`,
};

/** `offset 0` makes PostgreSQL read the hours of each webhook through the primary key, in its order. */
const select: Statement = {
  name: 'dispatcher.health',
  text: `
    select requested.id as webhook_id, hours.*
    from unnest($2::uuid[]) as requested (id),
      lateral (
        select (extract(epoch from hour) * 1000)::float8 as hour_ms, attempts::float8, successes::float8,
          durations::int[] as durations
        from dispatcher.webhook_hours h
        where h.workspace_id = $1 and h.webhook_id = requested.id
          and h.hour >= date_trunc('hour', $3::timestamptz) and h.hour < date_trunc('hour', $4::timestamptz)
          and h.hour > now() - interval '7 days'
        offset 0
      ) hours
    order by requested.id, hours.hour_ms`,
};
