import type { Shares } from '../http/shares.js';
import { steadyNow } from '@roster/bus';
import { clientAddress } from '../http/connections/trusted-proxies.js';
import { authenticate } from '../http/callers/authenticate.js';
import type { HttpContext } from '../http/exchange.js';
import type { RequestContext } from '../operations/operation-client.js';
import type { RestOptions } from './rest-options.js';
import { Fault } from '@roster/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import type { IncomingMessage } from 'node:http';

/**
 * Of a call that is made long after the request began: the key is verified again if that was not done lately.
 *
 * @throws Fault `unauthenticated` if the key was revoked meanwhile
 */
export async function laterContext(
  { state, req }: HttpContext,
  { keys, proxies, timeoutMs }: RestOptions,
): Promise<RequestContext> {
  const { requestId, traceparent, tracestate } = state;
  const address = clientAddress(proxies, req);
  const origin = { requestId, traceparent, address };
  return {
    caller: await authenticate(keys, req.headers.authorization, origin),
    requestId,
    traceparent,
    tracestate,
    deadline: steadyNow() + timeoutMs,
  };
}

/** A call is repeated for this long, after pauses that double. */
const repeatMs = 60_000;
const pauseMs = 100;
const pauseMaxMs = 2_000;
const passing = new Set(['unavailable', 'timeout']);

/**
 * Makes a call again that is refused for a moment. It must be safe to repeat.
 *
 * @param signal aborted when the result is no longer needed
 *
 * @throws Fault of the last call
 */
export async function repeatCall<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const until = steadyNow() + repeatMs;
  for (let pause = pauseMs; ; pause = Math.min(2 * pause, pauseMaxMs)) {
    try {
      return await call();
    } catch (error) {
      const isPassing = error instanceof Fault && passing.has(error.code);
      if (!isPassing || steadyNow() + pause > until) throw error;
    }
    await delay(pause, undefined, signal && { signal });
  }
}

/**
 * A response of HTTP/1.0 ends with its connection: clients, and proxies such as nginx by default, would take a part of a file for
 * the whole.
 *
 * @throws Fault `invalid`
 */
export function requireEnd({ httpVersion }: IncomingMessage): void {
  if (httpVersion === '1.0')
    throw new Fault(
      'invalid',
      'Files require HTTP/1.1, in which the end of a file can be recognized.',
    );
}

/**
 * Counts a request for a file among those in flight of its workspace and of this process.
 *
 * @param what in the plural, for the message of the refusal
 * @throws Fault `unavailable` or `rate_limited` if there are too many
 */
export function takePlace(inFlight: Shares, workspaceId: string, what: string): void {
  if (inFlight.tryTake(workspaceId)) return;
  const retry = { retryAfterSeconds: 5 };
  throw inFlight.isFull
    ? new Fault('unavailable', `Too many ${what} are in flight. Try again later.`, retry)
    : new Fault(
        'rate_limited',
        `A workspace can have at most ${inFlight.shareMax} ${what} in flight.`,
        retry,
      );
}
