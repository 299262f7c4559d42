import { randomFillSync } from 'node:crypto';
import { parseTraceparent, unsampled } from '@roster/telemetry';

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

/**
 * Continues the trace of the caller with a new span, or starts one that is not sampled: only `traceRequest` decides otherwise.
 *
 * @param header value of the request header
 */
export function makeTraceparent(header: string | string[] | undefined): string {
  const parent = parseTraceparent(header);
  return parent
    ? `${parent.slice(0, 36)}${randomHex(8)}${parent.slice(52)}`
    : `00-${randomHex(16)}-${randomHex(8)}-00`;
}

/** Nothing of a WebSocket itself is recorded: its operations have spans of their own. */
export const untracedSocket = (header: string | string[] | undefined): string =>
  unsampled(makeTraceparent(header));
