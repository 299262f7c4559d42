import { createHmac } from 'node:crypto';

/**
 * Headers that authenticate a delivery: the HMAC of the body, and the headers of Standard Webhooks, whose signature includes ID and
 * time, so that receivers can reject replays. During the overlap of a rotation, they contain signatures with both tokens.
 * https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @param tokens the current one first
 */
export function signatureHeaders(
  serviceName: string,
  {
    id,
    body,
    timestamp,
    tokens,
  }: { id: string; body: string; timestamp: number; tokens: readonly string[] },
): Record<string, string> {
  const [current = '', previous] = tokens;
  const plain = (token: string) => createHmac('sha256', token).update(body).digest('hex');
  const signed = (token: string) =>
    `v1,${createHmac('sha256', token).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  return {
    [`x-${serviceName}-signature`]: plain(current),
    ...(previous === undefined ? {} : { [`x-${serviceName}-signature-previous`]: plain(previous) }),
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': tokens.map(signed).join(' '),
  };
}
