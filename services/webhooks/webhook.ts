import { encodeId, type Operations, type OutputOf } from '@roster/contracts';
import type { TokenCipher } from './token-cipher.js';
import type { Webhook } from './webhook.entity.js';

type Listed = OutputOf<Operations['webhooks.list']>['webhooks'][number];
type Whole = OutputOf<Operations['webhooks.get']>['webhook'];

/** A webhook in the contract's shape, without its token. */
export const listedShape = ({ id, url, events, createdAt }: Webhook): Listed => ({
  id: encodeId('webhook', id),
  url,
  events,
  createdAt: createdAt.toISOString(),
});

/** A webhook in the contract's shape. */
export const webhookShape = (webhook: Webhook, cipher: TokenCipher): Whole => ({
  ...listedShape(webhook),
  token: cipher.decrypt(webhook.tokenCiphertext, tokenBinding(webhook)),
});

/** What a webhook's encrypted token is bound to. */
export const tokenBinding = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;
