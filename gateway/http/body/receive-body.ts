import type { IncomingMessage } from 'node:http';
import { withoutSlot } from '../exchange/slot.js';
import type { HttpContext } from '../exchange/exchange.js';
import { readBody } from './read-body.js';

/**
 * The whole body of a request. One that does not arrive with its headers holds no slot until it is complete:
 * its client decides how long that takes.
 *
 * @throws Fault `payload_too_large`, `unavailable`
 * @throws ClientGone
 */
export async function receiveBody(ctx: HttpContext, bytesMax: number): Promise<Buffer> {
  const { req, state } = ctx;
  // Node parses all bytes of the body that have arrived before the promise is resumed.
  await Promise.resolve();
  if (hasArrived(req)) return readBody(req, bytesMax);
  const announced = Number(req.headers['content-length'] ?? bytesMax);
  const release = state.admission.bodies.reserve(
    state.caller?.workspaceId ?? '',
    Math.min(announced, bytesMax),
  );
  try {
    return await withoutSlot(ctx, readBody(req, bytesMax));
  } finally {
    release();
  }
}

/** A request is not `complete` yet when its last byte was parsed: Node resumes promises before the event of its end. */
const hasArrived = ({ complete, readableLength, headers }: IncomingMessage): boolean =>
  complete || readableLength === Number(headers['content-length']);
