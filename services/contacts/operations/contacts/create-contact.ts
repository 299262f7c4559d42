import {
  Contended,
  currentLockWait,
  faultOf,
  isolateFailures,
  shortLockMs,
  withLockWait,
  type Answer,
  type Call,
} from '@roster/bus';
import type { InputOf, Operations, OutputOf } from '@roster/contracts';
import { coalesceBatches, type SessionHandler } from '@roster/storage';
import { createContacts } from '../../writing/insert-contacts.js';
import type { ContactsService } from '../../service.js';
import { workspaceLocked } from '../../writing/workspace-locked.js';

type CreateContact = Operations['contacts.create'];
type CreateCall = Call<InputOf<CreateContact>>;
type Answers = Answer<OutputOf<CreateContact>>[];

/**
 * Handles one batch after another, so that IDs are assigned in the order in which they become visible. Creations in a
 * workspace that another transaction has locked wait separately from those of other workspaces.
 */
export function createContact(service: ContactsService): SessionHandler<CreateContact> {
  const unlocked = coalesceBatches<CreateContact>((calls, session) =>
    // A longer wait would delay all other creations.
    withLockWait(briefly, async () => {
      try {
        return await createContacts(service, calls, session, 'unlocked');
      } catch (error) {
        if (error instanceof Contended) return calls.map(() => workspaceLocked);
        throw error;
      }
    }),
  );
  const turns = new Turns(async (calls, session) => {
    try {
      return await createContacts(service, calls, session, 'inTurn');
    } catch (error) {
      // All calls wait for the same lock. Handled one by one, each would wait for the full lock timeout.
      throw error instanceof Contended ? workspaceLocked : error;
    }
  });
  return async (calls, session) => {
    // The transaction contains calls of one workspace. An error that it throws rolls the transaction back.
    if (session !== service.database)
      return turns.take(calls[0]!.caller.workspaceId, calls, session);

    const answers: Answers = Array.from({ length: calls.length });
    const answer = async (indexes: number[], handle: SessionHandler<CreateContact>) => {
      if (indexes.length === 0) return;
      const some = indexes.map((index) => calls[index]!);
      // Handled separately, because batches that are committed cannot be rolled back.
      const given = await isolateFailures(some, (part) => handle(part, session), faultOf);
      for (const [at, index] of indexes.entries()) answers[index] = given[at]!;
    };
    const inTurn = (indexes: number[]) =>
      Promise.all(
        [...Map.groupBy(indexes, (index) => calls[index]!.caller.workspaceId)].map(
          ([workspaceId, own]) =>
            answer(own, (part, through) => turns.take(workspaceId, part, through)),
        ),
      );
    // Probably sent separately because its workspace is locked.
    const isIsolated = !currentLockWait()?.defers && isOfOneWorkspace(calls);
    const isWaiting = ({ caller }: CreateCall) => isIsolated || turns.has(caller.workspaceId);
    const { waiting = [], free = [] } = Object.groupBy(calls.keys(), (index) =>
      isWaiting(calls[index]!) ? 'waiting' : 'free',
    );
    const turn = inTurn(waiting);
    await answer(free, unlocked);
    const locked = free.filter((index) => answers[index] instanceof Contended);
    await Promise.all([turn, inTurn(locked)]);
    return answers;
  };
}

const briefly = { ms: shortLockMs, nextMs: shortLockMs, defers: true };

const isOfOneWorkspace = ([first, ...others]: readonly CreateCall[]): boolean =>
  others.every(({ caller }) => caller.workspaceId === first!.caller.workspaceId);

/**
 * The batches of each workspace, handled sequentially. Those that wait for locks only briefly do not wait for those that wait
 * longer: the order of IDs does not depend on it, because other processes create contacts as well.
 */
class Turns {
  readonly #handle: SessionHandler<CreateContact>;
  readonly #queues = new Map<string, { handle: SessionHandler<CreateContact>; users: number }>();

  constructor(handle: SessionHandler<CreateContact>) {
    this.#handle = handle;
  }

  /** Whether batches of the workspace are waiting or being handled. */
  has(workspaceId: string): boolean {
    return this.#queues.has(nameOf(workspaceId));
  }

  async take(
    workspaceId: string,
    ...batch: Parameters<SessionHandler<CreateContact>>
  ): Promise<Answers> {
    const name = nameOf(workspaceId);
    let queue = this.#queues.get(name);
    if (!queue) {
      queue = { handle: coalesceBatches<CreateContact>(this.#handle), users: 0 };
      this.#queues.set(name, queue);
    }
    queue.users += 1;
    try {
      return await queue.handle(...batch);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) this.#queues.delete(name);
    }
  }
}

const nameOf = (workspaceId: string): string =>
  currentLockWait()?.defers ? `${workspaceId} briefly` : workspaceId;
