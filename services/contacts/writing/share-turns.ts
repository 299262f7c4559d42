import { faultOf, inParts, isolateCalls } from '@roster/bus';
import type { InputOf, Operation } from '@roster/contracts';
import {
  coalesceBatches,
  inRounds,
  type Database,
  type Rounds,
  type SessionHandler,
} from '@roster/storage';

/**
 * Batches of one workspace that arrive during its turn are merged, and share the next one: in the database they would wait for each
 * other's commits, each with a connection. Those of several workspaces, or within a transaction, are handled as they are.
 */
export function shareTurns<O extends Operation>(
  database: Database,
  rounds: Rounds<InputOf<O>>,
  handle: SessionHandler<O>,
): SessionHandler<O> {
  const { partsOf } = inRounds<O>(rounds, handle);
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
