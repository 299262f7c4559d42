import { setTimeout as delay } from 'node:timers/promises';
import type { End } from './misbehaviour.js';

/** So that refusals, which are answered at once, do not become a load of their own. */
const pauseMs = 5;

/** Does `work` again and again, `count` at once, whatever becomes of it. */
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
