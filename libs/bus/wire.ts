import { headers, type MsgHdrs, type StoredMsg } from 'nats';

/** performance.timeOrigin is read once: it is constant. */
const { timeOrigin } = performance;

/**
 * Milliseconds since the epoch, as an integer: the time at which the process started plus the time since. Unlike `Date.now`, it
 * does not change when the clock of the machine is set. Deadlines, and the other times in messages, are such times.
 */
export const steadyNow = (): number => Math.round(timeOrigin + performance.now());

/** The UTF-8 text of the payload of a message. */
export const textOf = (data: Uint8Array): string =>
  Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8');

/** The headers of a message that has one. */
export function headerOf(name: string, value = '1'): MsgHdrs {
  const set = headers();
  set.set(name, value);
  return set;
}

/**
 * The headers of a message of the stream. Undefined if it has none, or if they are malformed: a service with stolen credentials can
 * store such a message, and the client throws when they are read.
 */
export function headersOf(
  message: { headers?: MsgHdrs | undefined } | Pick<StoredMsg, 'header'>,
): MsgHdrs | undefined {
  try {
    return 'header' in message ? message.header : message.headers;
  } catch {
    return undefined;
  }
}
