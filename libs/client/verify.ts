import type { WebhookEvent } from './types.js';

/** Why a request is not a delivery of Roster: a header that is missing, its time, its signature, or a body that is not an event. */
export type VerificationReason = 'missing_header' | 'timestamp' | 'signature' | 'body';

export class VerificationError extends Error {
  override readonly name = 'VerificationError';
  readonly reason: VerificationReason;

  constructor(reason: VerificationReason, message: string) {
    super(message);
    this.reason = reason;
  }
}

/** Headers of a request: `Headers`, or an object such as `request.headers` of Node, in any letter case. */
export type DeliveryHeaders =
  | Pick<Headers, 'get'>
  | Readonly<Record<string, string | readonly string[] | undefined>>;

export interface VerifyOptions {
  /** Requests whose `webhook-timestamp` differs more from the clock are refused, so that they cannot be recorded and sent later. 300. */
  toleranceSeconds?: number | undefined;
  /** The clock, in milliseconds since the epoch. `Date.now()`. */
  now?: number | undefined;
}

/**
 * Verifies a delivery according to Standard Webhooks and returns its event. Deliveries can arrive more than once: remember the
 * header `webhook-id`. https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md
 *
 * @param rawBody the body as it arrived: parsing and serializing it again can change it
 * @param secrets the `signingSecret` of the webhook (`whsec_…`), or its token. Several while a token is rotated: one of them is enough
 * @throws VerificationError if the request is not genuine
 */
export async function verify(
  rawBody: string | Uint8Array,
  headers: DeliveryHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now() }: VerifyOptions = {},
): Promise<WebhookEvent> {
  const keys = [secrets].flat().filter(Boolean);
  // An empty list accepts nothing, and everyone can sign with an empty secret.
  if (keys.length === 0 || keys.length < [secrets].flat().length)
    throw new TypeError('verify() requires secrets that are not empty.');
  const body = bytesOf(rawBody);
  const [id, timestamp, signatures] = [
    header(headers, 'webhook-id'),
    header(headers, 'webhook-timestamp'),
    header(headers, 'webhook-signature'),
  ];
  if (!/^\d{1,12}$/.test(timestamp) || Math.abs(now / 1000 - +timestamp) > toleranceSeconds)
    throw new VerificationError(
      'timestamp',
      `The header webhook-timestamp differs more than ${toleranceSeconds} seconds from the clock.`,
    );

  const signed = concatenate(utf8(`${id}.${timestamp}.`), body);
  const given = signatures.split(' ');
  let isGenuine = false;
  for (const secret of keys) {
    const expected = await sign(secret, signed);
    for (const one of given) if (equal(one, expected)) isGenuine = true;
  }
  if (!isGenuine)
    throw new VerificationError(
      'signature',
      'No signature of the header webhook-signature belongs to the body and the secrets.',
    );
  try {
    const event = JSON.parse(new TextDecoder().decode(body)) as WebhookEvent | null;
    if (event?.event) return event;
  } catch {}
  throw new VerificationError('body', 'The body is not an event.');
}

function bytesOf(rawBody: unknown): Uint8Array<ArrayBuffer> {
  if (typeof rawBody === 'string') return utf8(rawBody);
  if (rawBody instanceof Uint8Array) return new Uint8Array(rawBody);
  // Frameworks that parse JSON leave an object, from which the bytes cannot be restored.
  throw new TypeError('verify() requires the raw body: a string or bytes, before it is parsed.');
}

function header(headers: DeliveryHeaders, name: string): string {
  let value: string | readonly string[] | null | undefined;
  if (typeof headers.get === 'function') value = headers.get(name);
  else
    value = Object.entries(headers as Record<string, string>).find(
      ([one]) => one.toLowerCase() === name,
    )?.[1];
  const text = typeof value === 'object' ? value?.[0] : value;
  if (!text) throw new VerificationError('missing_header', `The header ${name} is missing.`);
  return text;
}

async function sign(secret: string, signed: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', keyOf(secret), algorithm, false, ['sign']);
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, signed));
  return `v1,${btoa(String.fromCharCode(...bytes))}`;
}

/** An empty key would sign what everyone can sign. */
function keyOf(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith('whsec_')) return utf8(secret);
  try {
    const bytes = Uint8Array.from(atob(secret.slice(6)), (one) => one.charCodeAt(0));
    if (bytes.length > 0) return bytes;
  } catch {}
  throw new TypeError('A secret that begins with whsec_ must continue with Base64.');
}

/** Compares in a time that does not depend on how many characters agree. */
function equal(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  let difference = 0;
  for (let index = 0; index < a.length; index++)
    difference |= a.charCodeAt(index) ^ b.charCodeAt(index);
  return difference === 0;
}

const utf8 = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text);

function concatenate(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
