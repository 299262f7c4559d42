import { steadyNow } from '@roster/bus';
import { Fault } from '@roster/contracts';
import { setTimeout as delay } from 'node:timers/promises';

/** For how long a call is repeated, after pauses that double. */
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
