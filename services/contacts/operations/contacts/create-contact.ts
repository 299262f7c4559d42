import { Contended } from '@roster/bus';
import type { Operations } from '@roster/contracts';
import { coalesceBatches, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { createContacts } from '../../writing/insert-contacts.js';
import { isOfOtherType } from '../../writing/definitions/typed-workspaces.js';
import { workspaceLocked } from '../../writing/watermark.js';

type CreateContact = Operations['contacts.create'];

/**
 * Handles one batch after another, so that IDs are assigned in the order in which they become visible. Creations in a workspace
 * that another transaction has locked wait in a queue of their own, until the lock timeout at most.
 */
export function createContact(service: ContactsService): SessionHandler<CreateContact> {
  const { database } = service;
  const inTurn: SessionHandler<CreateContact> = async (calls, session) => {
    try {
      return await createContacts(service, calls, session, 'inTurn');
    } catch (error) {
      // All calls wait for the same lock. Handled one by one, each would wait for it again.
      throw error instanceof Contended && !isOfOtherType(error) ? workspaceLocked : error;
    }
  };
  const queue = coalesceBatches<CreateContact>((calls, workspaceId) =>
    workspaceId === undefined
      ? createContacts(service, calls, database, 'unlocked')
      : inTurn(calls, database),
  );
  return async (calls, session) => {
    // A transaction holds locks that the batches of a queue may wait for.
    if (session !== database) return inTurn(calls, session);
    const answers = await queue(calls);
    const locked = [...calls.keys()].filter((index) => answers[index] instanceof Contended);
    const byWorkspace = Map.groupBy(locked, (index) => calls[index]!.caller.workspaceId);
    await Promise.all(
      [...byWorkspace].map(async ([workspaceId, own]) => {
        const some = own.map((index) => calls[index]!);
        const given = await queue(some, workspaceId);
        for (const [at, index] of own.entries()) answers[index] = given[at]!;
      }),
    );
    return answers;
  };
}
