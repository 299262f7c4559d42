import type { IncomingMessage } from 'node:http';
import { withoutSlot } from '../exchange/slot.js';
import type { HttpContext } from '../exchange/exchange.js';
import { readBody } from './read-body.js';

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
  if (hasArrived(req)) return readBody(req, bytesMax);
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

/** A request is not `complete` yet when its last byte was parsed: Node resumes promises before the event of its end. */
const hasArrived = ({ complete, readableLength, headers }: IncomingMessage): boolean =>
  complete || readableLength === Number(headers['content-length']);
