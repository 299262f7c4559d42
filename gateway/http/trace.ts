import { randomFillSync } from 'node:crypto';

/** Random bytes are generated in bulk: a system call per ID would cost more than the rest of the exchange's state. */
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

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

/** The ID that a client sent, if it is 1 to 128 visible ASCII characters, otherwise a new one. */
export const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && visibleAscii.test(header) ? header : makeRequestId();

export const makeRequestId = (): string => `req_${randomHex(16)}`;

const shape =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:$|-)/;

/**
 * Continues the caller's trace with a new span, or starts a trace. https://www.w3.org/TR/trace-context/
 *
 * @param header value of the request header
 */
export function makeTraceparent(header: string | string[] | undefined): string {
  const parent = typeof header === 'string' && header.length <= 256 ? shape.exec(header) : null;
  // Later versions may append fields to those of version 00, which itself allows none.
  if (!parent || (header as string).startsWith('00') !== (header!.length === 55)) {
    return `00-${randomHex(16)}-${randomHex(8)}-01`;
  }
  return `00-${parent[1]}-${randomHex(8)}-${parent[2]}`;
}
