import type { Answer } from '@roster/bus';
import { uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import type { SessionHandler, Statement } from '@roster/storage';
import { quantile } from '../delivery/count-attempts.js';
import { refusalOfWebhook } from './require-webhook.js';
import type { DispatcherService } from '../service.js';

type WebhookStats = Operations['webhooks.stats'];
type Hour = OutputOf<WebhookStats>['stats']['hours'][number];

/** Returns the hours of the last 7 days with attempts, oldest first. Runs one statement per batch. */
export const webhookStats =
  ({ database, subscriptions }: DispatcherService): SessionHandler<WebhookStats> =>
  async (calls) => {
    const refusals = await Promise.all(
      calls.map(({ caller, input }) => refusalOfWebhook(subscriptions, caller, input.webhookId)),
    );
    const rows = await database.query<HourRow>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('webhook', input.webhookId)),
    ]);
    const hours = calls.map(() => [] as Hour[]);
    for (const row of rows) hours[row.n - 1]!.push(hourOf(row));
    return calls.map(
      (_, index): Answer<OutputOf<WebhookStats>> =>
        refusals[index] ?? { stats: { hours: hours[index]! } },
    );
  };

function hourOf({ hour_ms, attempts, successes, durations }: HourRow): Hour {
  const counts = durations.map(Number);
  return {
    hour: new Date(hour_ms).toISOString(),
    attempts,
    successes,
    failures: attempts - successes,
    p50Ms: quantile(counts, 0.5),
    p95Ms: quantile(counts, 0.95),
  };
}

interface HourRow {
  n: number;
  hour_ms: number;
  attempts: number;
  successes: number;
  durations: number[];
}

/** `offset 0` makes PostgreSQL read the hours of each webhook through the primary key, in its order. */
const select: Statement = {
  name: 'dispatcher.stats',
  text: `
    select requested.n::int, hours.*
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, webhook_id, n),
      lateral (
        select (extract(epoch from hour) * 1000)::float8 as hour_ms, attempts::float8, successes::float8,
          durations::int[] as durations
        from dispatcher.webhook_hours h
        where h.workspace_id = requested.workspace_id and h.webhook_id = requested.webhook_id
          and h.hour > now() - interval '7 days'
        offset 0
      ) hours
    order by requested.n, hours.hour_ms`,
};
