import { Fault } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { ClientGone, type HttpContext, withoutSlot } from '../exchange.js';
import { askForBody } from './expected-body.js';

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
  const length = request.headers['content-length'] ?? null;
  if (Number(length) <= bytesMax) askForBody(request);
  try {
    return await getRawBody(request, { length, limit: bytesMax });
  } catch (error) {
    if ((error as getRawBody.RawBodyError).type === 'entity.too.large')
      throw new Fault('payload_too_large', `The body exceeds ${bytesMax} bytes.`);
    throw request.destroyed ? new ClientGone() : error;
  }
}

/**
 * The whole body of a request. One that does not arrive with its headers holds no slot until it is complete:
 * its client decides how long that takes.
 *
 * @param network of a client that needs no key, which has a share of the memory for such bodies
 *
 * @throws Fault `payload_too_large`, `unavailable`
 * @throws ClientGone
 */
export async function receiveBody(
  ctx: HttpContext,
  bytesMax: number,
  network?: string,
): Promise<Buffer> {
  const { req, state } = ctx;
  // Node parses all bytes of the body that have arrived before the promise is resumed.
  await Promise.resolve();
  if (hasArrived(req)) return arrivedBody(req, bytesMax) ?? readBody(req, bytesMax);
  const { bodies, anonymousBodies } = state.admission;
  const announced = Math.min(Number(req.headers['content-length'] ?? bytesMax), bytesMax);
  const release =
    network === undefined
      ? bodies.reserve(state.caller!.workspaceId, announced)
      : anonymousBodies.reserve(network, announced);
  try {
    return await withoutSlot(ctx, readBody(req, bytesMax));
  } finally {
    release();
  }
}

/**
 * The body of a request that has arrived, without the events of a stream. Undefined if it does not have the announced length, or is
 * too large.
 */
function arrivedBody(request: IncomingMessage, bytesMax: number): Buffer | undefined {
  const { readableLength, headers } = request;
  if (readableLength !== Number(headers['content-length']) || readableLength > bytesMax)
    return undefined;
  const body = request.read() as Buffer | null;
  // The stream ends when it is read once more.
  request.resume();
  return body ?? undefined;
}

/** A request is not `complete` yet when its last byte was parsed: Node resumes promises before the event of its end. */
const hasArrived = ({ complete, readableLength, headers }: IncomingMessage): boolean =>
  complete || readableLength === Number(headers['content-length']);

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
