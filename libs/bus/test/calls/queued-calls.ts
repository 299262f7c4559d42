import { operations, type Caller, type Fault, type OperationName } from '@roster/contracts';
import { OperationQueue } from '../../calls/batching/operation-queue.js';
import type { PendingCall } from '../../calls/batching/pending-call.js';

/** A queue whose batches are taken from it by the test. */
export const queueOf = (name: OperationName) =>
  new OperationQueue(operations[name], () => undefined);
let order = 0;

/** Adds calls to the queue at given times, and records their outcomes. */
export function add(
  queue: OperationQueue,
  count: number,
  {
    now = 0,
    bytes = 100,
    deadline = Infinity,
    workspaceId = 'wksp_a',
    isAbandoned = undefined as (() => boolean) | undefined,
  } = {},
) {
  const caller = { workspaceId } as Caller;
  const context = isAbandoned ? { isAbandoned } : {};
  const outcomes: string[] = [];
  const calls = Array.from({ length: count }, (): PendingCall => {
    const outcome = Promise.withResolvers<Uint8Array>();
    outcome.promise.then(
      () => outcomes.push('ok'),
      (fault: Fault) => outcomes.push(fault.code),
    );
    order += 1;
    const { operation } = queue;
    return {
      ...{ caller, operation, context, encoded: '', bytes, deadline },
      ...{ queuedAt: now, order, queue, outcome },
    };
  });
  for (const call of calls) queue.add(call);
  return { calls, outcomes };
}

/** Missing responders are reported at this time. */
export function makeAbsent(queue: OperationQueue, now: number): void {
  add(queue, 1, { now });
  const calls = queue.nextBatch(now);
  queue.putBack(calls, now);
  queue.finished();
}
