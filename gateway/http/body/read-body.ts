import { Fault } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';

/** The client went away before its request was whole: there is nobody to answer. */
export class ClientGone extends Error {}

/** How much of a body that nobody reads is taken off the wire, so that the client gets to read the answer. */
const discardBytesMax = 16 * 1024 * 1024;

export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';

/**
 * The whole body.
 *
 * @throws Fault `payload_too_large`, before reading where the length is announced
 * @throws ClientGone
 */
export function readBody(request: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length']) > bytesMax) return reject(tooLarge(bytesMax));
    const chunks: Buffer[] = [];
    let bytes = 0;
    const take = (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > bytesMax) {
        request.off('data', take);
        reject(tooLarge(bytesMax));
      } else {
        chunks.push(chunk);
      }
    };
    // Every request closes in the end; an error for each would cost more than reading it.
    const gone = () => request.readableEnded || reject(new ClientGone());
    request
      .on('data', take)
      .once('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)))
      .once('error', gone)
      .once('close', gone);
  });
}

const tooLarge = (bytesMax: number) =>
  new Fault('payload_too_large', `The body exceeds ${bytesMax} bytes.`);

/** Takes the rest of a body nobody wants: closing at once would reset the connection under the answer. */
export function discardRest(request: IncomingMessage): void {
  if (request.complete || !hasBody(request)) return;
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > discardBytesMax) request.destroy();
  });
  request.on('error', () => {});
}
