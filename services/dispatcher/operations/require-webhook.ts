import { Fault, notFound, uuidOf, type Caller } from '@roster/contracts';
import type { Subscriptions } from '../webhooks/subscriptions.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';

/**
 * Looks up a webhook of the caller's workspace. Encoded IDs.
 *
 * @throws Fault `not_found` when the workspace has no such webhook
 */
export async function requireWebhook(
  subscriptions: Subscriptions,
  { workspaceId }: Caller,
  webhookId: string,
): Promise<KnownWebhook> {
  const webhook = await subscriptions.one(
    uuidOf('workspace', workspaceId),
    uuidOf('webhook', webhookId),
  );
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** Returns the fault of `requireWebhook`, if any, as an answer of a batch. */
export async function refusalOfWebhook(
  subscriptions: Subscriptions,
  caller: Caller,
  webhookId: string,
): Promise<Fault | undefined> {
  try {
    await requireWebhook(subscriptions, caller, webhookId);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

/** Otherwise the delivery would wait until the webhook is enabled, and the caller would not know. */
export function refuseDisabled({ disabledReason }: KnownWebhook): void {
  if (disabledReason !== null) {
    throw new Fault('conflict', 'The webhook is disabled. Enable it first.');
  }
}
