import { Json, type Answer, type Call, type Handler } from '@roster/bus';
import { encodeId, Fault, type InputOf, type Operations } from '@roster/contracts';
import { each, inRounds, type SessionHandler } from '@roster/storage';
import { resubscribeContact, unsubscribeContact } from './contacts/change-subscription.js';
import type { ContactsService } from '../service.js';
import { findLinkedContacts, type LinkedContact } from '../reading/find-linked-contacts.js';
import { isUndo, undoOf } from '../reading/unsubscribe-token.js';

type UseLink = Operations['unsubscribe-links.use'];
type UndoLink = Operations['unsubscribe-links.undo'];

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
  // A contact has one token.
  inRounds<UseLink>({ rowOf: ({ input }) => input.token }, async (calls, session) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(service.database, tokens);
    const linked = found.flatMap((contact) => (contact instanceof Fault ? [] : [contact]));
    if (linked.length === 0) return found;
    const changes = found.flatMap((contact, index) =>
      contact instanceof Fault ? [] : [changeOf(calls[index]!, contact)],
    );
    const outcomes = (await unsubscribeContact(service)(changes, session)).values();
    return found.map((contact) => {
      if (contact instanceof Fault) return contact;
      const { status, version: _, key, ...ids } = contact;
      // The contact may have been deleted since it was found.
      const outcome = outcomes.next().value!;
      if (outcome instanceof Fault) return outcome;
      const { version } = contactOf(outcome);
      return {
        status: 'unsubscribed' as const,
        workspaceId: workspaceOf(ids),
        ...(status === 'subscribed' && { undo: undoOf({ ...ids, version }, key, Date.now()) }),
      };
    });
  });

/** Subscribes the contact of a link again that was unsubscribed minutes ago and not changed since, as `contacts.resubscribe` does. */
export const undoUnsubscribeLink = (service: ContactsService): SessionHandler<UndoLink> =>
  each<UndoLink>(async (call, session) => {
    const { token, undo } = call.input;
    const [contact] = await findLinkedContacts(service.database, [token]);
    if (contact instanceof Fault) throw contact;
    const { key, status, ...ids } = contact!;
    // A second click.
    if (status === 'subscribed') return { status, workspaceId: workspaceOf(ids) };
    if (!isUndo(undo, ids, key, Date.now())) throw tooLate;
    const change = changeOf(call, contact!);
    const input = { ...change.input, ofVersion: ids.version };
    const [outcome] = await resubscribeContact(service)([{ ...change, input }], session);
    if (outcome instanceof Fault) throw outcome.code === 'not_found' ? tooLate : outcome;
    return { status: 'subscribed' as const, workspaceId: workspaceOf(ids) };
  });

const tooLate = new Fault('conflict', 'The time to undo this has passed.', {
  reason: 'the undo text has expired, or is not of the last change of the contact',
});

const workspaceOf = ({ workspaceId }: Pick<LinkedContact, 'workspaceId'>) =>
  encodeId('workspace', workspaceId);

/** Authorised by the token alone: its workspace is that of the contact. */
const changeOf = <Op extends UseLink | UndoLink>(
  call: Call<InputOf<Op>>,
  { workspaceId, contactId }: LinkedContact,
) => ({
  ...call,
  caller: { ...call.caller, workspaceId: workspaceOf({ workspaceId }) },
  input: { contactId: encodeId('contact', contactId) },
});

const contactOf = (outcome: Answer<{ contact: { version: number } }>): { version: number } => {
  const { contact } = outcome instanceof Json ? JSON.parse(outcome.text) : outcome;
  return contact;
};
