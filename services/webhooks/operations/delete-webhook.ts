import { LockMode } from '@mikro-orm/core';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each } from '@roster/storage';
import { auditLog, type WebhooksService } from '../service.js';
import { broadcastChange } from '../change-webhook.js';
import { Webhook } from '../entities/webhook.entity.js';
import { auditedWebhook, requireWebhookMatch } from '../webhook.js';

export const deleteWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.delete']>(async (call, session) => {
    const { input, caller } = call;
    return session.transaction(async (inner) => {
      const { em } = inner;
      const key = {
        workspaceId: uuidOf('workspace', caller.workspaceId),
        id: uuidOf('webhook', input.webhookId),
      };
      const webhook = await em.findOne(Webhook, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!webhook) throw notFound('webhook');
      requireWebhookMatch(call, webhook);
      await em.nativeDelete(Webhook, key);
      await auditLog.record(inner, call, {
        action: 'webhook.deleted',
        resourceId: input.webhookId,
        before: auditedWebhook(webhook),
      });
      broadcastChange(service, inner, caller.workspaceId);
      return { deleted: true };
    });
  });
