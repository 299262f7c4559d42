import { createHash, createHmac } from 'node:crypto';

/** An event of the log. */
export interface LoggedEvent {
  id: string;
  kind: string;
  createdAt: string;
  data: Record<string, unknown>;
}

/** To whom events are sent, as a webhook would be. */
export interface LocalWebhook {
  id: string;
  /** `whsec_` and the base64 of the bytes of the key. */
  secret: string;
}

/** The request that sends an event to a handler: headers and body of a delivery with the payload `compact`. */
export function localDelivery(event: LoggedEvent, { id: webhookId, secret }: LocalWebhook) {
  const { id: eventId, kind, createdAt, data } = event;
  const id = deliveryId(eventId, webhookId);
  const body = JSON.stringify({ event: kind, created_at: createdAt, data });
  const timestamp = Math.floor(Date.now() / 1000);
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = (text: string) => createHmac('sha256', key).update(text);
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      'user-agent': 'Roster-Webhooks/1',
      'x-roster-event': kind,
      'x-roster-delivery': id,
      'x-roster-event-id': eventId,
      'x-roster-webhook-id': webhookId,
      'x-roster-signature': signed(body).digest('hex'),
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${signed(`${id}.${timestamp}.${body}`).digest('base64')}`,
    },
  };
}

/** The ID of the webhook that forwarding to an address stands for: always the same. */
export const localWebhookId = (name: string): string => encode('wh', digestOf(name) >> 1n);

/** Always the same for an event and a webhook: the time and counter of the event, and a digest of both, as for other deliveries. */
function deliveryId(eventId: string, webhookId: string): string {
  const start = (decode(eventId) >> 64n) << 64n;
  const digest = digestOf(`${eventId} ${webhookId}`) >> 66n;
  return encode('dlv', start | (2n << 62n) | digest);
}

const digestOf = (text: string): bigint =>
  BigInt(`0x${createHash('sha256').update(text).digest('hex').slice(0, 32)}`);

/** The digits of IDs: Crockford's base32. */
const digits = '0123456789abcdefghjkmnpqrstvwxyz';

const decode = (id: string): bigint =>
  [...id.slice(id.indexOf('_') + 1)].reduce(
    (value, digit) => (value << 5n) | BigInt(Math.max(0, digits.indexOf(digit))),
    0n,
  );

function encode(prefix: string, value: bigint): string {
  let text = '';
  for (let shift = 125n; shift >= 0n; shift -= 5n) text += digits[Number((value >> shift) & 31n)];
  return `${prefix}_${text}`;
}
