import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { broadcastChange } from './broadcast-change.js';
import type { WebhooksService } from './service.js';
import { Webhook } from './entities/webhook.entity.js';

type DeleteWebhook = Operations['webhooks.delete'];

export const deleteWebhook = (service: WebhooksService): SessionHandler<DeleteWebhook> =>
  each<DeleteWebhook>(async ({ input, caller }, session) => {
    const deleted = await session.em.nativeDelete(Webhook, {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('webhook', input.webhookId),
    });
    if (deleted === 0) throw notFound('webhook');
    broadcastChange(service, session, caller.workspaceId);
    return { deleted: true };
  });
