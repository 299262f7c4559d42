import { internal, type Handler } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { WebhooksService } from './service.js';
import { Webhook } from './webhook.entity.js';
import { tokenBinding as keyOf, webhookShape } from './webhook.js';

/** One query for the batch. */
export const getWebhook =
  ({ database, cipher }: WebhooksService): Handler<Operations['webhooks.get']> =>
  async (calls) => {
    const asked = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('webhook', input.webhookId),
    }));
    const found = await database.em.find(Webhook, { $or: asked });
    const byKey = new Map(found.map((webhook) => [keyOf(webhook), webhook]));
    return asked.map((key) => {
      const webhook = byKey.get(keyOf(key));
      if (!webhook) return notFound('webhook');
      try {
        return { webhook: webhookShape(webhook, cipher) };
      } catch (error) {
        return internal(error);
      }
    });
  };
