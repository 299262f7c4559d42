import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { changeWebhook } from './change-webhook.js';
import type { WebhooksService } from './service.js';
import type { Webhook } from './entities/webhook.entity.js';

type EnableWebhook = Operations['webhooks.enable'];

export const enableWebhook = (service: WebhooksService): SessionHandler<EnableWebhook> =>
  each<EnableWebhook>(({ input, caller }, session) =>
    changeWebhook(service, session, caller, input.webhookId, enable),
  );

/** Earlier failures no longer count. */
export function enable(webhook: Webhook): void {
  webhook.disabledReason = null;
  webhook.failingSince = null;
  webhook.forgivenAt = new Date();
}
