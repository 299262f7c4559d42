import { encodeId, type Operations, type OutputOf } from '@roster/contracts';
import type { TokenCipher } from './token-cipher.js';
import type { Webhook } from './webhook.entity.js';

type Listed = OutputOf<Operations['webhooks.list']>['webhooks'][number];
type Whole = OutputOf<Operations['webhooks.get']>['webhook'];

/** A webhook in the contract's shape, without its token. */
export const listedShape = (webhook: Webhook): Listed => ({
  id: encodeId('webhook', webhook.id),
  url: webhook.url,
  events: webhook.events,
  createdAt: webhook.createdAt.toISOString(),
  status: statusOf(webhook),
  disabledReason: webhook.disabledReason ?? null,
  lastSuccessAt: webhook.lastSuccessAt?.toISOString() ?? null,
  lastFailureAt: webhook.lastFailureAt?.toISOString() ?? null,
});

function statusOf({ disabledReason, failingSince }: Webhook): Listed['status'] {
  if (disabledReason) return 'disabled';
  return failingSince ? 'failing' : 'active';
}

/** A webhook in the contract's shape. */
export const webhookShape = (webhook: Webhook, cipher: TokenCipher): Whole => ({
  ...listedShape(webhook),
  token: cipher.decrypt(webhook.tokenCiphertext, tokenBinding(webhook)),
});

/** What a webhook's encrypted tokens are bound to. */
export const tokenBinding = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;
