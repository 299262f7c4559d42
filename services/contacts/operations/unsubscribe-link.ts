import type { Answer, Call, Handler } from '@roster/bus';
import { encodeId, Fault, type InputOf, type Operations, type OutputOf } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/storage';
import { resubscribeContact, unsubscribeContact } from './contacts/change-subscription.js';
import type { ContactsService } from '../service.js';
import { findLinkedContacts, type LinkedContact } from '../reading/find-linked-contacts.js';
import { isUndo, undoOf } from '../reading/unsubscribe-token.js';

type UseLink = Operations['unsubscribe-links.use'];
type UndoLink = Operations['unsubscribe-links.undo'];
type LinkCallOf<Op extends UseLink | UndoLink> = Call<InputOf<Op>>;

/** The status of the contact of a link, and its workspace. */
export const getUnsubscribeLink =
  ({ database }: ContactsService): Handler<Operations['unsubscribe-links.get']> =>
  async (calls) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(database, tokens);
    return found.map((linked) =>
      linked instanceof Fault
        ? linked
        : { status: linked.status, workspaceId: workspaceOf(linked) },
    );
  };

/**
 * Unsubscribes the contacts of links, as `contacts.unsubscribe` does: a contact that is unsubscribed already is not changed, and no
 * event is written.
 */
export const useUnsubscribeLink = (service: ContactsService): SessionHandler<UseLink> =>
  changing<UseLink>(service, unsubscribeContact(service), (_, { status, key, ...ids }) => ({
    status: 'unsubscribed',
    workspaceId: workspaceOf(ids),
    ...(status === 'subscribed' && { undo: undoOf(ids, key, Date.now()) }),
  }));

/** Subscribes the contacts of links again that were unsubscribed minutes ago, as `contacts.resubscribe` does. */
export const undoUnsubscribeLink = (service: ContactsService): SessionHandler<UndoLink> =>
  changing<UndoLink>(service, resubscribeContact(service), ({ input }, { key, ...ids }) =>
    isUndo(input.undo, ids, key, Date.now())
      ? { status: 'subscribed', workspaceId: workspaceOf(ids) }
      : tooLate,
  );

const tooLate = new Fault('conflict', 'The time to undo this has passed.');

/** Changes the contacts of links. A call whose answer is a fault changes nothing. */
function changing<Op extends UseLink | UndoLink>(
  { database }: ContactsService,
  change: ReturnType<typeof unsubscribeContact>,
  answerOf: (call: LinkCallOf<Op>, contact: LinkedContact) => Answer<OutputOf<Op>>,
): SessionHandler<Op> {
  // A contact has one token.
  return inRounds<Op>({ rowOf: ({ input }) => input.token }, async (calls, session) => {
    const found = await findLinkedContacts(
      database,
      calls.map(({ input }) => input.token),
    );
    const answers = found.map((contact, index) =>
      contact instanceof Fault ? contact : answerOf(calls[index]!, contact),
    );
    const changed = found.flatMap((contact, index) =>
      contact instanceof Fault || answers[index] instanceof Fault
        ? []
        : [changeOf(calls[index]!, contact)],
    );
    const given = (changed.length === 0 ? [] : await change(changed, session)).values();
    return answers.map((answer) => {
      if (answer instanceof Fault) return answer;
      // The contact may have been deleted since it was found.
      const outcome = given.next().value!;
      return outcome instanceof Fault ? outcome : answer;
    });
  });
}

const workspaceOf = ({ workspaceId }: Pick<LinkedContact, 'workspaceId'>) =>
  encodeId('workspace', workspaceId);

/** Authorised by the token alone: its workspace is that of the contact. */
const changeOf = <Op extends UseLink | UndoLink>(
  call: LinkCallOf<Op>,
  { workspaceId, contactId }: LinkedContact,
) => ({
  ...call,
  caller: { ...call.caller, workspaceId: workspaceOf({ workspaceId }) },
  input: { contactId: encodeId('contact', contactId) },
});
