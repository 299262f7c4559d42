import { steadyNow } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { ClientGone } from '../exchange.js';
import { askForBody } from './expected-body.js';

/** The client sent nothing of the body of a long request for too long, or all of it too slowly. Answered 408. */
export class BodyStalled extends Error {}

interface LongBodyLimits extends ClientPaceLimits {
  bytesMax: number;
  /** For how long the client may send nothing while the gateway waits. */
  idleMs: number;
}

/**
 * The bytes of a body, as they arrive. While they are not taken, TCP keeps the client from sending more. A body may
 * take as long as its client keeps the pace.
 *
 * @param connections contains the connection while the limit for complete requests does not apply to it
 *
 * @throws Fault `payload_too_large`; BodyStalled; ClientGone
 */
export async function* readLongBody(
  request: IncomingMessage,
  { bytesMax, idleMs, ...paceLimits }: LongBodyLimits,
  connections: WeakSet<Duplex>,
): AsyncGenerator<Buffer> {
  const { socket } = request;
  connections.add(socket);
  askForBody(request);
  // Destroyed, the request would take its connection along, and the response could not be sent.
  const parts = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  const pace = new ClientPace(paceLimits);
  let bytes = 0;
  try {
    for (;;) {
      const from = steadyNow();
      const part = await nextPart(parts, request, idleMs);
      if (part.done) return;
      if (pace.isTooSlow(part.value.length, steadyNow() - from)) throw new BodyStalled();
      bytes += part.value.length;
      if (bytes > bytesMax) throw tooLarge(bytesMax);
      yield part.value;
    }
  } finally {
    void parts.return?.();
    if (request.complete) connections.delete(socket);
    else endRest(request, idleMs, connections);
  }
}

export const tooLarge = (bytesMax: number): Fault =>
  new Fault('payload_too_large', `The body exceeds ${bytesMax} bytes.`);

async function nextPart(
  parts: AsyncIterator<Buffer>,
  request: IncomingMessage,
  idleMs: number,
): Promise<IteratorResult<Buffer>> {
  const { promise: stalled, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new BodyStalled()), idleMs);
  try {
    return await Promise.race([parts.next(), stalled]);
  } catch (error) {
    throw request.destroyed ? new ClientGone() : error;
  } finally {
    clearTimeout(timer);
  }
}

/** The client of a refused request has this time to read the response, and to send or to omit the rest. */
function endRest(request: IncomingMessage, ms: number, connections: WeakSet<Duplex>): void {
  const { socket } = request;
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  request.once('close', () => {
    clearTimeout(timer);
    connections.delete(socket);
  });
}

export interface ClientPaceLimits {
  /** How long the gateway may wait for a client in total, before what each transferred byte adds. */
  waitingMs: number;
  /** Transferred bytes that add a second. */
  bytesPerSecondMin: number;
}

/**
 * Bounds how slowly a client transfers a long body. Each part has a deadline of its own; without a bound for all parts, a client
 * that transfers each one just in time would keep its place for days.
 */
export class ClientPace {
  readonly #msPerByte: number;
  #leftMs: number;

  constructor({ waitingMs, bytesPerSecondMin }: ClientPaceLimits) {
    this.#leftMs = waitingMs;
    this.#msPerByte = 1000 / bytesPerSecondMin;
  }

  /** Counts a part for which the gateway waited. Returns whether all parts so far took too long. */
  isTooSlow(bytes: number, waitedMs: number): boolean {
    this.#leftMs += bytes * this.#msPerByte - waitedMs;
    return this.#leftMs < 0;
  }
}
