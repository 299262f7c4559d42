import { faultOf, type Call, type Handler } from '@roster/bus';
import { Fault, notFound, uuidOf, type Operations } from '@roster/contracts';
import { auditLog, tokenRead, type WebhooksService } from '../service.js';
import { Webhook } from '../entities/webhook.entity.js';
import { webhookKey, webhookShape, listedShape } from '../webhook.js';

/** Runs one query per batch. No token is decrypted or returned, and no reading recorded. */
export const findWebhook =
  ({ database }: WebhooksService): Handler<Operations['webhooks.find']> =>
  async (calls) => {
    const find = await foundWebhooks(database, calls);
    return calls.map((call) => {
      const webhook = find(call);
      return webhook ? { webhook: listedShape(webhook) } : notFound('webhook');
    });
  };

/** Runs one query per batch, and records the reading of tokens before it returns them. */
export const getWebhook =
  (service: WebhooksService): Handler<Operations['webhooks.get']> =>
  async (calls) => {
    const find = await foundWebhooks(service.database, calls);
    const answers = calls.map((call) => {
      const webhook = find(call);
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

type OfWebhook = Call<{ webhookId: string }>;

const keyOf = ({ caller, input }: OfWebhook) => ({
  workspaceId: uuidOf('workspace', caller.workspaceId),
  id: uuidOf('webhook', input.webhookId),
});

/** Returns a function that finds the webhook of each of the calls. */
async function foundWebhooks({ em }: WebhooksService['database'], calls: readonly OfWebhook[]) {
  const found = await em.find(Webhook, { $or: calls.map(keyOf) });
  const byKey = new Map(found.map((webhook) => [webhookKey(webhook), webhook]));
  return (call: OfWebhook) => byKey.get(webhookKey(keyOf(call)));
}

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
