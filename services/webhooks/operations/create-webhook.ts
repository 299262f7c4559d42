import { encodeId, Fault, uuidOf, webhooksMax, type Operations } from '@roster/contracts';
import { each, type Statement } from '@roster/storage';
import { auditLog, type WebhooksService } from '../service.js';
import { broadcastChange, endOfStream } from '../change-webhook.js';
import { encryptedHeaders } from '../own-headers.js';
import {
  randomToken,
  auditedWebhook,
  tokenBinding,
  webhookShape,
  refuseTarget,
} from '../webhook.js';
import { Webhook } from '../entities/webhook.entity.js';

export const createWebhook = (service: WebhooksService) =>
  each<Operations['webhooks.create']>(async (call, session) => {
    const { input, caller } = call;
    const { ids, cipher } = service;
    const { url, events, token = randomToken(), payload = 'compact' } = input;
    const { description = null, headers = {}, ratePerSecond = null, filter = null } = input;
    const { traceContext = false } = input;
    refuseTarget(url, service);
    const position = await endOfStream(service);
    return session.transaction(async (inner) => {
      const { em } = inner;
      const workspaceId = uuidOf('workspace', caller.workspaceId);
      await inner.query(queue, [workspaceId]);
      if ((await em.count(Webhook, { workspaceId })) >= webhooksMax) throw full;
      const id = ids.next();
      const now = new Date();
      const webhook = {
        workspaceId,
        id,
        description,
        url,
        events,
        payload,
        tokenCiphertext: cipher.encrypt(token, tokenBinding({ workspaceId, id })),
        ratePerSecond,
        filter,
        filterChangedAt: null,
        traceContext,
        ...encryptedHeaders(headers, { workspaceId, id }, cipher),
        previousTokenCiphertext: null,
        previousTokenUntil: null,
        disabledReason: null,
        subscribedAt: {},
        disabledAt: null,
        enabledAt: null,
        positions: position ? { [now.toISOString()]: position } : {},
        lastSuccessAt: null,
        lastFailureAt: null,
        failingSince: null,
        failures: [],
        forgivenAt: null,
        failingAnnouncedAt: null,
        createdAt: now,
        updatedAt: now,
      };
      await em.insert(Webhook, webhook);
      await auditLog.record(inner, call, {
        action: 'webhook.created',
        resourceId: encodeId('webhook', id),
        after: auditedWebhook(webhook),
      });
      broadcastChange(service, inner, caller.workspaceId);
      return { webhook: webhookShape(webhook, service) };
    });
  });

const full = new Fault('limit_reached', `A workspace can have at most ${webhooksMax} webhooks.`);

/** Serializes creations in one workspace, so that none exceeds the limit. */
const queue: Statement = {
  name: 'webhooks.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:webhooks:' || $1, 0))`,
};
