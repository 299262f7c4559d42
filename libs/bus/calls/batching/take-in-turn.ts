import type { Caller } from '@roster/contracts';

/** Maximum size of a batch. One call always fits. */
export interface BatchLimits {
  callsMax: number;
  bytesMax: number;
}

interface Queued {
  caller: Caller;
  bytes: number;
  /** Null once the call is settled. */
  outcome: object | null;
}

/**
 * Removes a batch from a queue that holds more than one batch: one call of each workspace in turn, so that a workspace with many
 * calls delays the others by no more than its share. Calls stay in their order, in the batch and in the queue. Settled calls are
 * removed.
 */
export function takeInTurn<Call extends Queued>(
  queue: Call[],
  { callsMax, bytesMax }: BatchLimits,
): Call[] {
  const taken = new Set<Call>();
  let bytes = 0;
  let turns = [
    ...Map.groupBy(queue.filter(isOpen), ({ caller }) => caller.workspaceId).values(),
  ].map((calls) => calls.values());
  while (turns.length > 0 && taken.size < callsMax) {
    turns = turns.filter((calls) => {
      if (taken.size >= callsMax) return false;
      const { value: call } = calls.next();
      // What does not fit goes with a later batch, and so do the later calls of its workspace.
      if (!call || (taken.size > 0 && bytes + call.bytes > bytesMax)) return false;
      taken.add(call);
      bytes += call.bytes;
      return true;
    });
  }
  const left = queue.filter((call) => isOpen(call) && !taken.has(call));
  const batch = queue.filter((call) => taken.has(call));
  queue.splice(0, queue.length, ...left);
  return batch;
}

const isOpen = (call: Queued): boolean => call.outcome !== null;
