import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';

/**
 * As `eventually`, with one attempt per second, because each query of the cluster starts a process and uses CPU in
 * the cluster.
 */
export function waitUntil<T>(
  describe: string,
  timeoutMs: number,
  check: () => Promise<T>,
): Promise<Exclude<T, undefined | null | false>> {
  return eventually(
    async () => {
      try {
        const answer = await check();
        if (answer !== undefined && answer !== null && answer !== false) return answer;
      } catch (error) {
        await delay(1000);
        throw error;
      }
      await delay(1000);
      return undefined as T;
    },
    { timeoutMs, describe },
  );
}
