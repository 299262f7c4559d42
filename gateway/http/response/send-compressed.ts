import { type EntityTags, isNotModified } from './conditions.js';
import type { HttpContext } from '../exchange.js';
import { send } from './send.js';
import { acceptedCoding, type Coding } from './accepted-coding.js';
import { compressor, type Compressor } from './compress.js';

/** Smaller bodies are sent as they are, unless the client refuses that: they fit into one packet. */
export const compressedBytesMin = 1024;

/**
 * Sends a response with a content coding that the client accepts. Results that contain a secret are not compressed: from the length
 * of a compressed body with text of an attacker, its other text can be guessed (BREACH).
 *
 * @param by how to compress it
 */
export function sendCompressed(
  ctx: HttpContext,
  status: number,
  mediaType: string,
  body: Uint8Array | string,
  by: Compressor = compressor,
): void | Promise<void> {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const coding = codingFor(ctx, bytes.byteLength, by);
  return coding
    ? sendCoded(ctx, status, mediaType, bytes, coding, by)
    : send(ctx, status, mediaType, body);
}

/**
 * Sends a resource with its entity tag, or 304 without a body if the client has the current version. A compressed response is
 * another representation with a tag of its own (RFC 9110, 8.8.3.3), which ends with the coding.
 *
 * @param status of success
 * @param entityTag without quotes
 * @param known the entity tags in If-None-Match, of a GET
 */
export function sendTagged(
  ctx: HttpContext,
  status: number,
  entityTag: string,
  known: EntityTags,
  mediaType: string,
  body: Uint8Array,
  by: Compressor = compressor,
): void | Promise<void> {
  const { res, state } = ctx;
  const coding = codingFor(ctx, body.byteLength, by);
  state.headers['ETag'] = coding ? `"${entityTag}-${coding}"` : `"${entityTag}"`;
  if (!isNotModified(known, entityTag))
    return coding
      ? sendCoded(ctx, status, mediaType, body, coding, by)
      : send(ctx, status, mediaType, body);
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
  by: Compressor,
): void | Promise<void> {
  const sendBody = (compressed: Uint8Array) => {
    ctx.state.headers['Content-Encoding'] = coding;
    send(ctx, status, mediaType, compressed);
  };
  const compressed = by.compress(body, coding);
  return compressed instanceof Promise ? compressed.then(sendBody) : sendBody(compressed);
}

function codingFor({ req, state }: HttpContext, bytes: number, by: Compressor): Coding | undefined {
  const header = req.headers['accept-encoding'];
  if (header === undefined || state.containsSecret) return undefined;
  const { coding, refusesIdentity } = acceptedCoding(header);
  const isWorthIt = bytes >= compressedBytesMin || refusesIdentity;
  return isWorthIt && by.accepts(bytes) ? coding : undefined;
}
