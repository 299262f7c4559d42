import { encodeId, Fault, invalidFields, problemOfOwnHeaders } from '@roster/contracts';
import type { Webhook } from './entities/webhook.entity.js';
import { headersBinding } from './webhook.js';
import type { WebhooksService } from './service.js';
import { UnreadableSecret, type TokenCipher } from './secrets/token-cipher.js';

export type OwnHeaders = Record<string, string>;

/** The columns of a webhook with these headers. */
export function encryptedHeaders(
  headers: OwnHeaders,
  owner: { workspaceId: string; id: string },
  cipher: TokenCipher,
): Pick<Webhook, 'headersCiphertext' | 'headerNames'> {
  const headerNames = Object.keys(headers);
  const headersCiphertext =
    headerNames.length === 0
      ? null
      : cipher.encrypt(JSON.stringify(headers), headersBinding(owner));
  return { headersCiphertext, headerNames };
}

/** @throws UnreadableSecret; MissingKey */
export const decryptHeaders = (
  text: string | null | undefined,
  owner: { workspaceId: string; id: string },
  cipher: TokenCipher,
): OwnHeaders =>
  text ? (JSON.parse(cipher.decrypt(text, headersBinding(owner))) as OwnHeaders) : {};

/**
 * Sets the given headers of a webhook, and removes those that are null. Names are compared without regard to case.
 *
 * @returns the names of those that were set to another value, added or removed
 *
 * @throws Fault `invalid` if there are too many together; `conflict` if those that stay cannot be decrypted; MissingKey
 */
export function changeHeaders(
  webhook: Webhook,
  changes: Readonly<Record<string, string | null>>,
  service: Pick<WebhooksService, 'cipher' | 'log'>,
): string[] {
  const former = headersOf(webhook, changes, service);
  const merged = new Map(
    Object.entries(former).map(([name, value]) => [name.toLowerCase(), { name, value }]),
  );
  const changed: string[] = [];
  for (const [name, value] of Object.entries(changes)) {
    const key = name.toLowerCase();
    if ((merged.get(key)?.value ?? null) !== value) changed.push(name);
    if (value === null) merged.delete(key);
    else merged.set(key, { name, value });
  }
  const headers = Object.fromEntries([...merged.values()].map(({ name, value }) => [name, value]));
  const problem = problemOfOwnHeaders(headers);
  if (problem !== undefined)
    throw invalidFields([{ pointer: '/headers', message: `${problem}, with those that it has` }]);
  if (changed.length > 0)
    Object.assign(webhook, encryptedHeaders(headers, webhook, service.cipher));
  return changed;
}

/** Headers that cannot be decrypted are replaced if the changes name each of them. */
function headersOf(
  webhook: Webhook,
  changes: Readonly<Record<string, string | null>>,
  { cipher, log }: Pick<WebhooksService, 'cipher' | 'log'>,
): OwnHeaders {
  try {
    return decryptHeaders(webhook.headersCiphertext, webhook, cipher);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    const webhookId = encodeId('webhook', webhook.id);
    log.warn({ webhookId, keyId: error.keyId }, 'failed to decrypt the headers of a webhook');
    const given = new Set(Object.keys(changes).map((name) => name.toLowerCase()));
    // Their values are unknown: whatever is given is another one.
    if (webhook.headerNames.every((name) => given.has(name.toLowerCase())))
      return Object.fromEntries(webhook.headerNames.map((name) => [name, '']));
    throw new Fault(
      'conflict',
      'The headers of this webhook cannot be decrypted. Set or remove each of them in one request.',
    );
  }
}
