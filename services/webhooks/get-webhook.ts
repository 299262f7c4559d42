import { faultOf, type Handler } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { WebhooksService } from './service.js';
import { Webhook } from './entities/webhook.entity.js';
import { webhookKey, webhookShape } from './webhook.js';

/** Runs one query per batch. */
export const getWebhook =
  (service: WebhooksService): Handler<Operations['webhooks.get']> =>
  async (calls) => {
    const requested = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('webhook', input.webhookId),
    }));
    const found = await service.database.em.find(Webhook, { $or: requested });
    const byKey = new Map(found.map((webhook) => [webhookKey(webhook), webhook]));
    return requested.map((key) => {
      const webhook = byKey.get(webhookKey(key));
      if (!webhook) return notFound('webhook');
      try {
        return { webhook: webhookShape(webhook, service) };
      } catch (error) {
        // If it were thrown, the whole batch would be refused.
        return faultOf(error);
      }
    });
  };
