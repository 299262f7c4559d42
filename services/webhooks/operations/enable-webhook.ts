import type { Operations, StreamPosition } from '@roster/contracts';
import { each } from '@roster/storage';
import { changeWebhook, endOfStream, keepPosition } from '../change-webhook.js';
import type { WebhooksService } from '../service.js';
import type { Webhook } from '../entities/webhook.entity.js';

export const enableWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.enable']>(async (call, session) => {
    const position = await endOfStream(service);
    return changeWebhook(service, session, call, 'webhook.enabled', (webhook) =>
      enable(webhook, position),
    );
  });

/** Earlier failures no longer count. */
export function enable(webhook: Webhook, position: StreamPosition | null): void {
  const now = new Date();
  if (webhook.disabledReason !== null) {
    webhook.enabledAt = now;
    keepPosition(webhook, now, position);
  }
  webhook.disabledReason = null;
  webhook.failingSince = null;
  webhook.forgivenAt = now;
}
