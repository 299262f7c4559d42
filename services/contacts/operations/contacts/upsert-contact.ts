import { emailKey, type Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { lockContacts } from '../../writing/lock-contacts.js';
import { isResubscription } from '../../writing/resubscribing.js';
import { emailName, externalName } from '../../writing/names-of.js';
import { upsertContacts, type Writers } from '../../writing/upsert-contacts.js';

type UpsertContact = Operations['contacts.upsert'];

/** Applies calls with one address, or without one and with one external ID, in order. */
export const upsertContact = (
  service: ContactsService,
  writers: Writers,
): SessionHandler<UpsertContact> =>
  inRounds<UpsertContact>(
    {
      rowOf: ({ caller, input: { email, externalId } }) =>
        `${caller.workspaceId} ${email === undefined ? externalName(externalId!) : emailName(emailKey(email))}`,
      isAlone: isResubscription,
    },
    async (calls, session) => {
      // One of several in a transaction may update a contact before another one defines a property or creates a contact, while
      // other writes lock these first.
      if (session !== service.database && calls.length > 1) {
        const operations = calls.map(({ input }) => ({ action: 'upsert' as const, ...input }));
        await lockContacts(service, calls[0]!, operations, session);
      }
      return upsertContacts(service, writers, calls, session);
    },
  );
