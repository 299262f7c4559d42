import type { Answer, Call, Handler } from '@roster/bus';
import { encodeId, Fault, type InputOf, type Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/storage';
import { unsubscribeContact } from './contacts/change-subscription.js';
import type { ContactsService } from '../service.js';
import { findLinkedContacts, type LinkedContact } from '../reading/find-linked-contacts.js';

type UseLink = Operations['unsubscribe-links.use'];
type LinkCall = Call<InputOf<UseLink>>;
type Used = Answer<{ status: 'unsubscribed' }>;

/** The status of the contact of a link. */
export const getUnsubscribeLink =
  ({ database }: ContactsService): Handler<Operations['unsubscribe-links.get']> =>
  async (calls) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(database, tokens);
    return found.map((linked) => (linked instanceof Fault ? linked : { status: linked.status }));
  };

/**
 * Unsubscribes the contacts of links, as `contacts.unsubscribe` does: a contact that is unsubscribed already is not changed, and no
 * event is written.
 */
export function useUnsubscribeLink(service: ContactsService): SessionHandler<UseLink> {
  const unsubscribe = unsubscribeContact(service);
  // A contact has one token.
  return inRounds<UseLink>({ rowOf: ({ input }) => input.token }, async (calls, session) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(service.database, tokens);
    const linked = [...found.entries()].filter(isLinked);
    const changes = linked.map(([index, contact]) => changeOf(calls[index]!, contact));
    const given = (changes.length === 0 ? [] : await unsubscribe(changes, session)).values();
    return found.map((contact): Used => {
      if (contact instanceof Fault) return contact;
      // It may have been deleted since it was found.
      const answer = given.next().value!;
      return answer instanceof Fault ? answer : { status: 'unsubscribed' };
    });
  });
}

const isLinked = (entry: [number, LinkedContact | Fault]): entry is [number, LinkedContact] =>
  !(entry[1] instanceof Fault);

/** Authorised by the token alone: its workspace is that of the contact. */
const changeOf = (call: LinkCall, { workspaceId, contactId }: LinkedContact) => ({
  ...call,
  caller: { ...call.caller, workspaceId: encodeId('workspace', workspaceId) },
  input: { contactId: encodeId('contact', contactId) },
});
