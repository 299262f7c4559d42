import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { changeWebhook } from './change-webhook.js';
import type { WebhooksService } from './service.js';

type DisableWebhook = Operations['webhooks.disable'];

/** The first reason is kept. */
export const disableWebhook = (service: WebhooksService): SessionHandler<DisableWebhook> =>
  each<DisableWebhook>(({ input, caller }, session) =>
    changeWebhook(service, session, caller, input.webhookId, (webhook) => {
      webhook.disabledReason ??= 'Disabled by a user.';
    }),
  );
