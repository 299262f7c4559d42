import { Fault } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { ClientGone } from '../exchange/client-gone.js';

/** Maximum number of bytes of an unread body that are received so that the client can read the response. */
const discardBytesMax = 16 * 1024 * 1024;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * Reads the whole body.
 *
 * @throws Fault `payload_too_large`, before reading if Content-Length exceeds the limit
 * @throws ClientGone
 */
export async function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  try {
    const length = request.headers['content-length'] ?? null;
    return await getRawBody(request, { length, limit: bytesMax });
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type === 'entity.too.large')
      throw new Fault('payload_too_large', `The body exceeds ${bytesMax} bytes.`);
    throw request.destroyed ? new ClientGone() : error;
  }
}

/** Receives the rest of an unread body. Closing immediately would reset the connection before the response is read. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardBytesMax) request.destroy();
  });
  request.on('error', () => {});
  // `getRawBody` pauses a body that exceeds the limit.
  request.resume();
}
