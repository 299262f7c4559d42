import { setTimeout as delay } from 'node:timers/promises';
import type { End } from './misbehaviour.js';

/** Refusals are answered immediately: without a pause they would be a load of their own. */
const pauseMs = 5;

/** Calls `work` repeatedly, `count` calls at a time, whether or not they fail. */
export function repeat(count: number, work: (sequence: number) => Promise<unknown>): End {
  const ending = new AbortController();
  let sequence = 0;
  const workers = Array.from({ length: count }, async () => {
    while (!ending.signal.aborted) {
      await work(sequence++).catch(() => undefined);
      await delay(pauseMs);
    }
  });
  return async () => {
    ending.abort();
    await Promise.all(workers);
  };
}
