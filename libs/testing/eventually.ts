import { setTimeout as delay } from 'node:timers/promises';

export interface EventuallyOptions {
  timeoutMs?: number | undefined;
  /** The condition, as it reads in "Waited 5000 ms for …". */
  describe?: string | undefined;
}

const pollMs = 10;

/**
 * Waits until `check` returns a value other than undefined, null or false, and resolves with that value. A check that
 * throws is repeated. After `timeoutMs` (20,000) it throws, with the last failure as the cause.
 */
export async function eventually<T>(
  check: () => T | Promise<T>,
  { timeoutMs = 20_000, describe = 'a condition' }: EventuallyOptions = {},
): Promise<Exclude<T, undefined | null | false>> {
  const deadline = performance.now() + timeoutMs;
  let last: unknown;
  do {
    try {
      const answer = await check();
      if (answer !== undefined && answer !== null && answer !== false) {
        return answer as Exclude<T, undefined | null | false>;
      }
      last = new Error(`the check returned ${String(answer)}`);
    } catch (error) {
      last = error;
    }
    await delay(pollMs);
  } while (performance.now() < deadline);
  const reason = last instanceof Error ? last.message : String(last);
  throw new Error(`Waited ${timeoutMs} ms for ${describe}: ${reason}`, { cause: last });
}
