import type { EventTrace } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { traceIdOf } from '@roster/telemetry';
import type { Post } from '../attempt/attempt.js';
import { signatureHeaders } from '../attempt/sign.js';
import { bodyOf, type Delivery } from './delivery.js';
import { traceHeaders } from './delivery-trace.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';

/**
 * The request that sends a delivery to its webhook.
 *
 * @param trace what the receiver continues
 */
export function postOf(
  delivery: Delivery,
  webhook: KnownWebhook,
  { serviceName, timeoutMs }: { serviceName: string; timeoutMs: number },
  trace?: EventTrace,
): Post {
  const id = encodeId('delivery', delivery.id);
  const word = serviceName.toLowerCase();
  const timestamp = Math.floor(Date.now() / 1000);
  const body = bodyOf(delivery);
  return {
    url: webhook.url,
    // Sign the stored bytes: serialising again could reorder keys and void the signature.
    headers: {
      // First: the contract refuses those of the system, but not all names that the service may have.
      ...webhook.headers,
      'content-type': 'application/json',
      'user-agent': `${serviceName}-Webhooks/1`,
      [`x-${word}-event`]: delivery.kind,
      [`x-${word}-delivery`]: id,
      [`x-${word}-event-id`]: encodeId('event', delivery.eventId),
      [`x-${word}-webhook-id`]: encodeId('webhook', delivery.webhookId),
      ...traceHeaders(trace, webhook),
      ...signatureHeaders(word, { id, body, timestamp, tokens: tokensOf(webhook) }),
    },
    body,
    secrets: webhook.headers ? secretsOf(webhook.headers) : [],
    trigger: delivery.trigger,
    traceId: traceIdOf(delivery.trace?.traceparent),
    timeoutMs,
  };
}

/** The values, and what follows a scheme such as `Bearer`. Shorter ones could be any text. */
const secretsOf = (headers: Readonly<Record<string, string>>): string[] => {
  const secrets = Object.values(headers)
    .flatMap((value) => [value, value.slice(value.lastIndexOf(' ') + 1)])
    .filter((value) => value.length >= secretLengthMin);
  return [...new Set(secrets.flatMap(writtenInJson))];
};

/** A text as it is, and as it is within JSON, where some libraries also escape slashes. */
function writtenInJson(text: string): string[] {
  const escaped = JSON.stringify(text).slice(1, -1);
  return [text, escaped, escaped.replaceAll('/', String.raw`\/`)];
}

const secretLengthMin = 6;

/** The current token, and during an overlap the previous one. */
function tokensOf({ token, previousToken }: KnownWebhook): string[] {
  if (token === null) throw new Error('deliveries must be signed');
  if (previousToken === null || Date.parse(previousToken.until) <= Date.now()) return [token];
  return [token, previousToken.token];
}
