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

/** Sending to a disabled webhook would wait without a word until it is enabled. */
export function refuseDisabled({ disabledReason }: Subscription): void {
  if (disabledReason !== null) {
    throw new Fault('conflict', `The webhook is disabled: enable it first.`);
  }
}
