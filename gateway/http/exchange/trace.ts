import { randomFillSync } from 'node:crypto';

/** Random bytes are drawn in bulk: a call for each id would cost more than the rest of a request's book-keeping. */
const pool = Buffer.alloc(8192);
let used = pool.length;

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += bytes;
  return pool.toString('hex', used - bytes, used);
}

export const makeRequestId = (): string => `req_${randomHex(16)}`;

const shape =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:$|-)/;

/**
 * Continues the caller's trace with a span of our own, or starts one. https://www.w3.org/TR/trace-context/
 *
 * @param given the request's header
 */
export function makeTraceparent(given: string | string[] | undefined): string {
  const parent = typeof given === 'string' && given.length <= 256 ? shape.exec(given) : null;
  // Of a version not known here, the parts of version 00 are taken; version 00 itself has no further ones.
  if (!parent || (given as string).startsWith('00') !== (given!.length === 55)) {
    return `00-${randomHex(16)}-${randomHex(8)}-01`;
  }
  return `00-${parent[1]}-${randomHex(8)}-${parent[2]}`;
}
