import { Fault, notFound, type Caller } from '@roster/contracts';
import type { Subscription, Subscriptions } from './subscriptions.js';

/** The caller's webhook, if it is theirs. */
export async function requireWebhook(
  subscriptions: Subscriptions,
  { workspaceId }: Caller,
  webhookId: string,
): Promise<Subscription> {
  const webhook = await subscriptions.one(workspaceId, webhookId);
  if (!webhook) throw notFound('webhook');
  return webhook;
}

/** Why the caller may not ask about the webhook, for answers to batches. */
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

/** Sending to a disabled webhook would wait without a word until it is enabled. */
export function refuseDisabled({ disabledReason }: Subscription): void {
  if (disabledReason !== null) {
    throw new Fault('conflict', `The webhook is disabled: enable it first.`);
  }
}
