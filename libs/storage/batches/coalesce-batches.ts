import {
  Contended,
  currentLockWait,
  faultOf,
  isolateCalls,
  LockWait,
  withLockWait,
  type Answer,
  type Call,
} from '@roster/bus';
import type { InputOf, Operation, OutputOf } from '@roster/contracts';
import { activeSpan, type Span, withSpan } from '@roster/telemetry';

/** Maximum number of calls handled at once. */
const callsMax = 256;

interface Batch<O extends Operation> {
  calls: Call<InputOf<O>>[];
  /** Undefined for the limit of the database. */
  lockMs: number | undefined;
  span: Span | undefined;
  outcome: PromiseWithResolvers<Answer<OutputOf<O>>[]>;
}

type Handle<O extends Operation> = (
  calls: Call<InputOf<O>>[],
  workspaceId?: string,
) => Promise<Answer<OutputOf<O>>[]>;

/**
 * Queues for batches: one for those of any workspaces, and one for each workspace that batches name. In each, a handler works on
 * one batch at a time. Those that arrive meanwhile are merged: batches that arrive during a slow commit wait for one more commit,
 * not for one each. Calls of a merged batch that fails are handled separately. The returned function never rejects.
 *
 * @param handle atomic: if it throws, nothing was applied
 */
export function coalesceBatches<O extends Operation>(handle: Handle<O>): Handle<O> {
  const queues = new Map<string | undefined, Batch<O>[]>();
  return (calls, workspaceId) => {
    const outcome = Promise.withResolvers<Answer<OutputOf<O>>[]>();
    const batch = { calls, lockMs: currentLockWait()?.limitMs, span: activeSpan(), outcome };
    const queue = queues.get(workspaceId);
    if (queue) queue.push(batch);
    else {
      const begun = [batch];
      queues.set(workspaceId, begun);
      void work(begun, workspaceId);
    }
    return outcome.promise;
  };

  async function work(queue: Batch<O>[], workspaceId: string | undefined): Promise<void> {
    while (queue.length > 0) {
      const batches = queue.splice(0, fitting(queue));
      const calls = batches.flatMap((batch) => batch.calls);
      const { lockMs } = batches[0]!;
      // What a batch that has reached the limit handles again waits as long as others of its queue.
      const lockWait = lockMs === undefined ? undefined : new LockWait(lockMs);
      const span = batches.find((batch) => batch.span)?.span;
      const answers = await withLockWait(lockWait, () =>
        withSpan(span, () => isolateCalls(calls, (some) => handle(some, workspaceId), faultOf)),
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
    queues.delete(workspaceId);
  }

  /** How many of the waiting batches are merged. */
  function fitting(queue: readonly Batch<O>[]): number {
    let calls = 0;
    const end = queue.findIndex((batch) => (calls += batch.calls.length) > callsMax);
    return end === -1 ? queue.length : Math.max(end, 1);
  }
}
