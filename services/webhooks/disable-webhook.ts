import type { Operations, StreamPosition } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { changeWebhook } from './change-webhook.js';
import type { WebhooksService } from './service.js';
import { endOfStream, keepPosition } from './stream-positions.js';
import type { Webhook } from './entities/webhook.entity.js';

type DisableWebhook = Operations['webhooks.disable'];

export const disableWebhook = (service: WebhooksService): SessionHandler<DisableWebhook> =>
  each<DisableWebhook>(async (call, session) => {
    const position = await endOfStream(service);
    return changeWebhook(service, session, call, 'webhook.disabled', (webhook) =>
      disable(webhook, 'Disabled by a user.', position),
    );
  });

/** The first reason is kept. */
export function disable(webhook: Webhook, reason: string, position: StreamPosition | null): void {
  if (webhook.disabledReason !== null) return;
  webhook.disabledReason = reason;
  webhook.disabledAt = new Date();
  keepPosition(webhook, webhook.disabledAt, position);
}
