import { uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/service/storage';
import { quantile } from './latency-histogram.js';
import { requireWebhook } from './require-webhook.js';
import type { DispatcherService } from './service.js';

type WebhookStats = Operations['webhooks.stats'];

/** The hours of the last 7 days in which something was sent, oldest first. */
export const webhookStats = ({
  database,
  subscriptions,
}: DispatcherService): SessionHandler<WebhookStats> =>
  each<WebhookStats>(async ({ input, caller }) => {
    await requireWebhook(subscriptions, caller, input.webhookId);
    const rows = await database.query<HourRow>(select, [
      uuidOf('workspace', caller.workspaceId),
      uuidOf('webhook', input.webhookId),
    ]);
    const hours = rows.map(({ hour_ms, attempts, successes, durations }) => {
      const counts = durations.map(Number);
      return {
        hour: new Date(hour_ms).toISOString(),
        attempts,
        successes,
        failures: attempts - successes,
        p50Ms: quantile(counts, 0.5),
        p95Ms: quantile(counts, 0.95),
      };
    });
    return { stats: { hours } };
  });

interface HourRow {
  hour_ms: number;
  attempts: number;
  successes: number;
  durations: number[];
}

const select: Statement = {
  name: 'dispatcher.stats',
  text: `
    select (extract(epoch from hour) * 1000)::float8 as hour_ms, attempts::float8, successes::float8,
      durations::int[] as durations
    from dispatcher.webhook_hours
    where workspace_id = $1 and webhook_id = $2 and hour > now() - interval '7 days'
    order by hour`,
};
