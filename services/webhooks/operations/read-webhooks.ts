import { faultOf, type Handler } from '@roster/bus';
import { Fault, notFound, uuidOf, type Operations } from '@roster/contracts';
import { auditLog, tokenRead, type WebhooksService } from '../service.js';
import { Webhook } from '../entities/webhook.entity.js';
import { webhookKey, webhookShape, listedShape } from '../webhook.js';

/** Runs one query per batch, and records the reading of tokens before it returns them. */
export const getWebhook =
  (service: WebhooksService): Handler<Operations['webhooks.get']> =>
  async (calls) => {
    const requested = calls.map(({ caller, input }) => ({
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('webhook', input.webhookId),
    }));
    const found = await service.database.em.find(Webhook, { $or: requested });
    const byKey = new Map(found.map((webhook) => [webhookKey(webhook), webhook]));
    const answers = requested.map((key) => {
      const webhook = byKey.get(webhookKey(key));
      if (!webhook) return notFound('webhook');
      try {
        return { webhook: webhookShape(webhook, service) };
      } catch (error) {
        // If it were thrown, the whole batch would be refused.
        return faultOf(error);
      }
    });
    const reads = calls.map((call, at) =>
      answers[at] instanceof Fault ? undefined : tokenRead(call, call.input.webhookId),
    );
    const refusals = await auditLog.recordReads(service.database, reads);
    return answers.map((answer, at) => refusals[at] ?? answer);
  };

/** Runs one query per batch. Returns the webhooks of each workspace in the order of their creation. */
export const listWebhooks =
  ({ database }: WebhooksService): Handler<Operations['webhooks.list']> =>
  async (calls) => {
    const requested = calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId));
    const found = await database.em.find(
      Webhook,
      { workspaceId: { $in: [...new Set(requested)] } },
      { orderBy: { id: 'asc' } },
    );
    const byWorkspace = Map.groupBy(found, ({ workspaceId }) => workspaceId);
    return requested.map((workspaceId) => ({
      webhooks: (byWorkspace.get(workspaceId) ?? []).map(listedShape),
    }));
  };
