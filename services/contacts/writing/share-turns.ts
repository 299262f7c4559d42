import { faultOf, inParts, isolateCalls, type Call } from '@roster/bus';
import type { InputOf, Operation } from '@roster/contracts';
import { coalesceBatches, inRounds, type Database, type SessionHandler } from '@roster/storage';

/**
 * Batches of one workspace that arrive during its turn are merged, and share the next one: they would wait for each other's commits,
 * each with a connection. Those of several workspaces, or within a transaction, are handled as they are.
 *
 * @param rowOf key of the row that a call concerns: no statement contains the same row twice
 */
export function shareTurns<O extends Operation>(
  database: Database,
  rowOf: (call: Call<InputOf<O>>) => string,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  const { partsOf } = inRounds<O>({ rowOf }, handle);
  const queue = coalesceBatches<O>((calls) =>
    inParts(calls, partsOf!(calls)!, (part) =>
      isolateCalls(part, (some) => handle(some, database), faultOf),
    ),
  );
  return (calls, session) => {
    const { workspaceId } = calls[0]!.caller;
    const isShared =
      session === database && calls.every(({ caller }) => caller.workspaceId === workspaceId);
    return isShared ? queue(calls, workspaceId) : handle(calls, session);
  };
}
