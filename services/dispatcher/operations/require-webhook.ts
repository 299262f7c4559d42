import { Fault, notFound, uuidOf, type Caller } from '@roster/contracts';
import type { Subscriptions } from '../delivery/subscriptions.js';
import type { KnownWebhook } from '../delivery/known-webhook.js';

/**
 * The caller's webhook. Ids as the caller wrote them.
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

/** The fault of `requireWebhook`, if any: for answers to batches. */
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

/** A delivery to a disabled webhook would wait until the webhook is enabled, and the caller would not learn of it. */
export function refuseDisabled({ disabledReason }: KnownWebhook): void {
  if (disabledReason !== null) {
    throw new Fault('conflict', 'The webhook is disabled. Enable it first.');
  }
}
