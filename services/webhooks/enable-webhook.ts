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
  const now = new Date();
  if (webhook.disabledReason !== null) webhook.enabledAt = isDisablingKnown(webhook) ? now : null;
  webhook.disabledReason = null;
  webhook.failingSince = null;
  webhook.forgivenAt = now;
}

/** The previous release records neither time: `disabledAt` may precede an enabling by it, and events in between were not skipped. */
const isDisablingKnown = ({ disabledAt, forgivenAt }: Webhook): boolean =>
  disabledAt !== null && disabledAt !== undefined && (!forgivenAt || forgivenAt < disabledAt);
