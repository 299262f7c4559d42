import type { MsgHdrs, StoredMsg } from 'nats';

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
