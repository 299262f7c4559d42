import { isNotModified, type EntityTags } from '../exchange/conditions.js';
import type { HttpContext } from '../exchange/exchange.js';
import { send } from '../exchange/send.js';
import { acceptedCoding, type Coding } from './accepted-coding.js';
import { canCompress, compress, type Compress } from './compress.js';

/** Smaller bodies are sent as they are, unless the client refuses that: they fit into one packet. */
export const compressedBytesMin = 1024;

/**
 * Sends a response with a content coding that the client accepts. Results that contain a secret are not compressed: from the length
 * of a compressed body with text of an attacker, its other text can be guessed (BREACH).
 *
 * @param compressBody how to compress it
 */
export function sendCompressed(
  ctx: HttpContext,
  status: number,
  mediaType: string,
  body: Uint8Array | string,
  compressBody: Compress = compress,
): void | Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const coding = codingFor(ctx, bytes.byteLength);
  return coding
    ? sendCoded(ctx, status, mediaType, bytes, coding, compressBody)
    : send(ctx, status, mediaType, body);
}

/**
 * Sends a response to GET with its entity tag, or 304 without a body if the client has the current version. A compressed response is
 * another representation with a tag of its own (RFC 9110, 8.8.3.3), which ends with the coding.
 *
 * @param entityTag without quotes
 * @param known the entity tags in If-None-Match
 */
export function sendTagged(
  ctx: HttpContext,
  entityTag: string,
  known: EntityTags,
  mediaType: string,
  body: Uint8Array,
  compressBody: Compress = compress,
): void | Promise<void> {
  const { res, state } = ctx;
  const coding = codingFor(ctx, body.byteLength);
  state.headers['ETag'] = coding ? `"${entityTag}-${coding}"` : `"${entityTag}"`;
  if (!isNotModified(known, entityTag))
    return coding
      ? sendCoded(ctx, 200, mediaType, body, coding, compressBody)
      : send(ctx, 200, mediaType, body);
  state.status = 304;
  res.writeHead(304, state.headers);
  res.end();
}

function sendCoded(
  ctx: HttpContext,
  status: number,
  mediaType: string,
  body: Uint8Array,
  coding: Coding,
  compressBody: Compress,
): void | Promise<void> {
  const sendBody = (compressed: Uint8Array) => {
    ctx.state.headers['Content-Encoding'] = coding;
    send(ctx, status, mediaType, compressed);
  };
  const compressed = compressBody(body, coding);
  return compressed instanceof Promise ? compressed.then(sendBody) : sendBody(compressed);
}

function codingFor({ req, state }: HttpContext, bytes: number): Coding | undefined {
  const header = req.headers['accept-encoding'];
  if (header === undefined || state.containsSecret) return undefined;
  const { coding, refusesIdentity } = acceptedCoding(header);
  const isWorthIt = bytes >= compressedBytesMin || refusesIdentity;
  return isWorthIt && canCompress(bytes) ? coding : undefined;
}
