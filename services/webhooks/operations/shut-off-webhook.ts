import type { Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { disableAutomatically } from './disable-webhook.js';
import type { WebhooksService } from '../service.js';

type ShutOffWebhook = Operations['webhooks.shut-off'];

export const shutOffWebhook = (service: WebhooksService): SessionHandler<ShutOffWebhook> =>
  each<ShutOffWebhook>(async (call, session) => {
    await disableAutomatically(service, session, { call, reason: call.input.reason });
    return { disabled: true };
  });
