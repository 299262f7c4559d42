import type { Handler } from '@roster/bus';
import { Fault, type Operations } from '@roster/contracts';
import type { ContactsService } from '../service.js';
import { findLinkedContacts } from '../reading/find-linked-contacts.js';

/** The status of the contact of a link. */
export const getUnsubscribeLink =
  ({ database }: ContactsService): Handler<Operations['unsubscribe-links.get']> =>
  async (calls) => {
    const tokens = calls.map(({ input }) => input.token);
    const found = await findLinkedContacts(database, tokens);
    return found.map((linked) => (linked instanceof Fault ? linked : { status: linked.status }));
  };
