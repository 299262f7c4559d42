import { Contended, faultOf, isolateFailures, type Answer, type Call } from '@roster/bus';
import type { InputOf, Operations, OutputOf } from '@roster/contracts';
import { coalesceBatches, type SessionHandler } from '@roster/service/storage';
import { createContacts } from './insert-contacts.js';
import { insertInTurn, insertUnlocked } from './insert-statements.js';
import type { ContactsService } from './service.js';
import { workspaceLocked } from './workspace-locked.js';

type CreateContact = Operations['contacts.create'];
type CreateCall = Call<InputOf<CreateContact>>;
type Answers = Answer<OutputOf<CreateContact>>[];

/**
 * One batch after another: ids are then given in the order in which they become visible. Creations of a workspace that
 * somebody else has locked wait for it apart from those of others.
 */
export function createContact(service: ContactsService): SessionHandler<CreateContact> {
  const unlocked = coalesceBatches<CreateContact>((calls, session) =>
    createContacts(service, calls, session, insertUnlocked),
  );
  const turns = new Turns(async (calls, session) => {
    try {
      return await createContacts(service, calls, session, insertInTurn);
    } catch (error) {
      // All of them wait for the same lock: one by one, each would wait as long again.
      throw error instanceof Contended ? workspaceLocked : error;
    }
  });
  return async (calls, session) => {
    // A transaction holds calls of one workspace. What it throws undoes the transaction.
    if (session !== service.database)
      return turns.take(calls[0]!.caller.workspaceId, calls, session);

    const answers: Answers = Array.from({ length: calls.length });
    const answer = async (indexes: number[], handle: SessionHandler<CreateContact>) => {
      if (indexes.length === 0) return;
      const some = indexes.map((index) => calls[index]!);
      // Apart from one another, for what others have committed cannot be undone.
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
    const isWaiting = ({ caller }: CreateCall) => turns.has(caller.workspaceId);
    const { waiting = [], free = [] } = Object.groupBy(calls.keys(), (index) =>
      isWaiting(calls[index]!) ? 'waiting' : 'free',
    );
    const turn = inTurn(waiting);
    await answer(free, unlocked);
    await Promise.all([turn, inTurn(free.filter((index) => answers[index] === workspaceLocked))]);
    return answers;
  };
}

/** Batches of one workspace, one after another. */
class Turns {
  readonly #handle: SessionHandler<CreateContact>;
  readonly #queues = new Map<string, { handle: SessionHandler<CreateContact>; users: number }>();

  constructor(handle: SessionHandler<CreateContact>) {
    this.#handle = handle;
  }

  /** Whether batches of the workspace wait or are worked on. */
  has(workspaceId: string): boolean {
    return this.#queues.has(workspaceId);
  }

  async take(
    workspaceId: string,
    ...batch: Parameters<SessionHandler<CreateContact>>
  ): Promise<Answers> {
    let queue = this.#queues.get(workspaceId);
    if (!queue) {
      queue = { handle: coalesceBatches<CreateContact>(this.#handle), users: 0 };
      this.#queues.set(workspaceId, queue);
    }
    queue.users += 1;
    try {
      return await queue.handle(...batch);
    } finally {
      queue.users -= 1;
      if (queue.users === 0) this.#queues.delete(workspaceId);
    }
  }
}
