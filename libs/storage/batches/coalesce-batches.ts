import {
  Contended,
  currentLockWait,
  faultOf,
  isolateCalls,
  shortLockMs,
  withLockWait,
  type Answer,
  type Call,
  type LockWait,
} from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';

/** Maximum number of calls handled at once. */
const callsMax = 256;

/** A longer wait would delay all workspaces. */
const briefly: LockWait = { ms: shortLockMs, nextMs: 20, defers: true };

interface Batch<O extends Operation> {
  calls: Call<InputOf<O>>[];
  lockWait: LockWait | undefined;
  outcome: PromiseWithResolvers<Answer<OutputOf<O>>[]>;
}

type Handle<O extends Operation> = (
  calls: Call<InputOf<O>>[],
  workspaceId?: string,
) => Promise<Answer<OutputOf<O>>[]>;

/**
 * Queues for batches: one for those of any workspaces, and for each workspace that batches name one of those that wait for locks
 * equally long. In each, a handler works on one batch at a time. Those that arrive meanwhile are merged: batches that arrive during a
 * slow commit wait for one more commit, not for one each. Calls of a merged batch that fails are handled separately. The returned
 * function never rejects.
 *
 * @param handle atomic: if it throws, nothing was applied
 */
export function coalesceBatches<O extends Operation>(handle: Handle<O>): Handle<O> {
  const queues = new Map<string, Batch<O>[]>();
  return (calls, workspaceId) => {
    const outcome = Promise.withResolvers<Answer<OutputOf<O>>[]>();
    const lockWait = currentLockWait();
    const batch = { calls, lockWait, outcome };
    // Those that wait for a lock only briefly would end the wait of the others.
    const name = workspaceId === undefined ? '' : `${workspaceId} ${lockWait?.defers}`;
    const queue = queues.get(name);
    if (queue) queue.push(batch);
    else {
      const begun = [batch];
      queues.set(name, begun);
      void work(begun, name, workspaceId);
    }
    return outcome.promise;
  };

  async function work(queue: Batch<O>[], name: string, workspaceId?: string): Promise<void> {
    while (queue.length > 0) {
      const batches = queue.splice(0, fitting(queue));
      const calls = batches.flatMap((batch) => batch.calls);
      const lockWait = workspaceId === undefined ? briefly : batches[0]!.lockWait;
      const answers = await withLockWait(lockWait && { ...lockWait }, () =>
        isolateCalls(calls, (some) => handle(some, workspaceId), faultOf),
      );
      let at = 0;
      for (const { calls: own, outcome } of batches)
        outcome.resolve(answers.slice(at, (at += own.length)));
      // Those that arrived meanwhile have waited for the same lock.
      const [first] = answers;
      if (workspaceId !== undefined && first instanceof Contended)
        for (const { calls: own, outcome } of queue.splice(0))
          outcome.resolve(own.map(() => first));
    }
    queues.delete(name);
  }

  /** How many of the waiting batches are merged. */
  function fitting(queue: readonly Batch<O>[]): number {
    let calls = 0;
    const end = queue.findIndex((batch) => (calls += batch.calls.length) > callsMax);
    return end === -1 ? queue.length : Math.max(end, 1);
  }
}
