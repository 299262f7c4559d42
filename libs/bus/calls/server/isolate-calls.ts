import type { Call } from '../frame/call.js';
import { Contended, isolateFailures } from './isolate-failures.js';
import { currentLockWait } from './lock-wait.js';

/**
 * `isolateFailures` for calls. If the batch defers contended calls, those of a workspace are handled together, otherwise one by
 * one. Either waits for locks only briefly, because the batch has already reached the limit.
 */
export function isolateCalls<C extends Call, Result>(
  calls: C[],
  handle: (calls: C[]) => Promise<Result[]>,
  failure: (error: unknown) => Result,
): Promise<Result[]> {
  const wait = currentLockWait();
  const handleOnce = async (some: C[]): Promise<Result[]> => {
    try {
      return await handle(some);
    } catch (error) {
      if (wait && error instanceof Contended) wait.ms = wait.nextMs;
      throw error;
    }
  };
  return isolateFailures(calls, handleOnce, failure, wait?.defers ? byWorkspace : undefined);
}

const byWorkspace = (calls: readonly Call[]): number[][] => [
  ...Map.groupBy(calls.keys(), (index) => calls[index]!.caller.workspaceId).values(),
];
