import { LockMode } from '@mikro-orm/core';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service';
import { announceChange } from './announce-change.js';
import { refuseHttp } from './refuse-http.js';
import type { WebhooksService } from './service.js';
import { Webhook } from './webhook.entity.js';
import { webhookShape } from './webhook.js';

type UpdateWebhook = Operations['webhooks.update'];

export const updateWebhook = (service: WebhooksService): SessionHandler<UpdateWebhook> =>
  each<UpdateWebhook>(async ({ input, caller }, session) => {
    const { url, events } = input;
    if (url !== undefined) refuseHttp(url, service);
    return session.transaction(async (inner) => {
      const { em } = inner;
      const key = {
        workspaceId: uuidOf('workspace', caller.workspaceId),
        id: uuidOf('webhook', input.webhookId),
      };
      // Locked, so that the answer shows what a simultaneous update of the other field left.
      const webhook = await em.findOne(Webhook, key, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!webhook) throw notFound('webhook');
      if (url !== undefined && url !== webhook.url) {
        webhook.url = url;
        // It was the receiver at the former address that asked for silence.
        webhook.disabledReason = null;
      }
      if (events !== undefined) webhook.events = events;
      await em.flush();
      announceChange(service, inner, caller.workspaceId);
      return { webhook: webhookShape(webhook, service.cipher) };
    });
  });
