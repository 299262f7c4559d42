import { randomInt } from 'node:crypto';
import type { Call } from '@roster/bus';
import {
  encodeId,
  Fault,
  operations,
  signingSecretOf,
  base62,
  invalidFields,
  type EventBody,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { requireMatch } from '@roster/storage';
import type { TargetPolicy } from '@roster/process/targets';
import type { WebhooksService } from './service.js';
import { UnreadableSecret } from './secrets/token-cipher.js';
import type { Webhook } from './entities/webhook.entity.js';

type Listed = OutputOf<Operations['webhooks.list']>['webhooks'][number];
type Whole = OutputOf<Operations['webhooks.get']>['webhook'];

/** A webhook in the format of the contract, without its token. */
export const listedShape = (webhook: Webhook): Listed => ({
  id: encodeId('webhook', webhook.id),
  description: webhook.description ?? null,
  url: webhook.url,
  events: webhook.events,
  payload: webhook.payload,
  headerNames: [...webhook.headerNames],
  ratePerSecond: webhook.ratePerSecond ?? null,
  filter: webhook.filter ?? null,
  traceContext: webhook.traceContext,
  createdAt: webhook.createdAt.toISOString(),
  status: statusOf(webhook),
  disabledReason: webhook.disabledReason ?? null,
  lastSuccessAt: webhook.lastSuccessAt?.toISOString() ?? null,
  lastFailureAt: webhook.lastFailureAt?.toISOString() ?? null,
});

/** What the audit log shows of a webhook. */
export const auditedWebhook = (webhook: Webhook): Record<string, unknown> => ({
  description: webhook.description ?? null,
  url: webhook.url,
  events: [...webhook.events],
  payload: webhook.payload,
  headerNames: [...webhook.headerNames],
  ratePerSecond: webhook.ratePerSecond ?? null,
  filter: webhook.filter ?? null,
  traceContext: webhook.traceContext,
  disabledReason: webhook.disabledReason ?? null,
});

/** What events show of a webhook. */
export const webhookOfEvent = (
  webhook: Pick<Webhook, 'id' | 'description' | 'failingSince' | 'disabledReason'>,
): EventBody<'WEBHOOK_DISABLED'>['data'] => ({
  webhook: {
    id: encodeId('webhook', webhook.id),
    description: webhook.description ?? null,
    failingSince: webhook.failingSince?.toISOString() ?? null,
    disabledReason: webhook.disabledReason ?? null,
  },
});

function statusOf({ disabledReason, failingSince }: Webhook): Listed['status'] {
  if (disabledReason) return 'disabled';
  return failingSince ? 'failing' : 'active';
}

type Tokens = Pick<WebhooksService, 'cipher' | 'log'>;

/**
 * A webhook in the format of the contract.
 *
 * @throws Fault `conflict` if its token cannot be decrypted; MissingKey
 */
export function webhookShape(webhook: Webhook, service: Tokens): Whole {
  const token = tokenOf(webhook, service);
  if (token === undefined) throw unreadable;
  return { ...listedShape(webhook), token, signingSecret: signingSecretOf(token) };
}

/**
 * Compares If-Match with a locked webhook. Its token does not count, and is not decrypted.
 *
 * @throws Fault `precondition_failed`
 */
export function requireWebhookMatch(call: Pick<Call, 'ifMatch'>, webhook: Webhook): void {
  requireMatch(call, operations['webhooks.get'], () =>
    JSON.stringify({ webhook: listedShape(webhook) }),
  );
}

/** The contract requires a token. A null or empty one could be mistaken for a signature key. */
const unreadable = new Fault(
  'conflict',
  'The token of this webhook cannot be decrypted. Replace it with rotate-token.',
);

/** The decrypted token; undefined, after logging it, if it cannot be decrypted. @throws MissingKey */
export function tokenOf(webhook: Webhook, { cipher, log }: Tokens): string | undefined {
  try {
    return cipher.decrypt(webhook.tokenCiphertext, tokenBinding(webhook));
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const webhookId = encodeId('webhook', webhook.id);
    log.warn({ webhookId, keyId: error.keyId }, 'failed to decrypt the token of a webhook');
    return undefined;
  }
}

/** The binding of the encrypted tokens of a webhook. */
export const tokenBinding = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;

/** The binding of its encrypted headers. */
export const headersBinding = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}/headers`;

/** Key of a webhook in a Map over all workspaces. */
export const webhookKey = ({ workspaceId, id }: { workspaceId: string; id: string }): string =>
  `${workspaceId}/${id}`;

/** About 196 random bits, more than 24 bytes, with uniformly distributed characters (`randomInt` has no modulo bias). */
export const randomToken = (): string =>
  `wht_${Array.from({ length: 33 }, () => base62[randomInt(base62.length)]).join('')}`;

/** @throws Fault `invalid` if no delivery to the URL can succeed, as far as the URL itself shows it */
export function refuseTarget(url: string, { targets }: { targets: TargetPolicy }): void {
  const message = messageOf(new URL(url), targets);
  if (message !== undefined) throw invalidFields([{ pointer: '/url', message }]);
}

function messageOf(url: URL, targets: TargetPolicy): string | undefined {
  if (targets.refuseScheme(url) !== undefined) return 'must be an https URL';
  const port = targets.refusePort(url);
  if (port !== undefined) return `must have the port 80, 443 or one from 1024; ${port}`;
  const address = targets.refuseKnownAddress(url);
  return address && `must have a public address; ${address}`;
}
