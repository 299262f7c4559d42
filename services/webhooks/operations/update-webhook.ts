import { isDeepStrictEqual } from 'node:util';
import { allKinds, type Operations, type StreamPosition } from '@roster/contracts';
import { each } from '@roster/storage';
import { changeWebhook, endOfStream, keepPosition } from '../change-webhook.js';
import { enable } from './enable-webhook.js';
import { refuseTarget } from '../webhook.js';
import { changeHeaders } from '../own-headers.js';
import type { WebhooksService } from '../service.js';
import type { Webhook } from '../entities/webhook.entity.js';

export const updateWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.update']>(async (call, session) => {
    const { url, events, payload, description, headers } = call.input;
    const { ratePerSecond, filter, traceContext } = call.input;
    if (url !== undefined) refuseTarget(url, service);
    const position = await endOfStream(service);
    return changeWebhook(service, session, call, 'webhook.updated', (webhook) => {
      if (url !== undefined && url !== webhook.url) {
        webhook.url = url;
        // The failures, or the disabling 410, came from the receiver at the previous URL.
        enable(webhook, position);
      }
      if (events !== undefined) subscribe(webhook, events, position);
      if (payload !== undefined) webhook.payload = payload;
      if (description !== undefined) webhook.description = description;
      if (ratePerSecond !== undefined) webhook.ratePerSecond = ratePerSecond;
      if (filter !== undefined && !isDeepStrictEqual(filter, webhook.filter)) {
        webhook.filter = filter;
        webhook.filterChangedAt = new Date();
      }
      if (traceContext !== undefined) webhook.traceContext = traceContext;
      if (headers === undefined) return undefined;
      const changed = changeHeaders(webhook, headers, service);
      // Values are not recorded, and may be all that changes.
      return changed.length === 0 ? undefined : { changedHeaders: changed };
    });
  });

/** Added kinds begin now: their earlier events are not delivered, even if a consumer that is created again reads them. */
function subscribe(
  webhook: Webhook,
  events: readonly string[],
  position: StreamPosition | null,
): void {
  const now = new Date();
  webhook.subscribedAt = subscriptionTimes(webhook, events, now.toISOString());
  webhook.events = [...events];
  keepPosition(webhook, now, position);
}

/** By kind, since when the webhook subscribes to it. A kind without an entry is as old as the webhook. */
function subscriptionTimes(
  { events: former, subscribedAt, createdAt }: Webhook,
  events: readonly string[],
  now: string,
): Record<string, string> {
  const hadAll = former.includes(allKinds);
  if (events.includes(allKinds)) {
    if (hadAll) return subscribedAt;
    // The kinds that it had keep their times.
    const kept = former.map((kind) => [kind, subscribedAt[kind] ?? createdAt.toISOString()]);
    return Object.fromEntries([...kept, [allKinds, now]]) as Record<string, string>;
  }
  return Object.fromEntries(
    events.flatMap((kind) => {
      const isKept = hadAll || former.includes(kind);
      const since = isKept ? (subscribedAt[kind] ?? subscribedAt[allKinds]) : now;
      return since === undefined ? [] : [[kind, since]];
    }),
  );
}
