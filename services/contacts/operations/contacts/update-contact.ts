import type { InputOf, Operations } from '@roster/contracts';
import { conditional, inRounds, type Rounds, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { byReference } from '../../writing/by-reference.js';
import { withDefinitions } from '../../writing/definitions/with-definitions.js';
import { lockedContacts } from '../../writing/lock-contacts.js';
import { shareTurns } from '../../writing/share-turns.js';
import { updateContacts } from '../../writing/update-contacts.js';

type UpdateContact = Operations['contacts.update'];

const rounds: Rounds<InputOf<UpdateContact>> = {
  rowOf: ({ input }) => input.contactId,
  // A new address or external ID may be taken, which would roll back the whole statement: it is changed by a separate one.
  isAlone: ({ input }) => input.email !== undefined || input.externalId !== undefined,
};

/** Applies calls for one contact in order. An update without a change writes no event. */
export const updateContact = (service: ContactsService): SessionHandler<UpdateContact> =>
  byReference(
    service,
    inRounds<UpdateContact>(
      rounds,
      withDefinitions<UpdateContact>(
        service,
        // Within it, because definitions are locked before contacts.
        conditional<UpdateContact>(
          lockedContacts,
          shareTurns<UpdateContact>(service.database, rounds, (calls, session) =>
            updateContacts(service, calls, session),
          ),
        ),
      ),
    ),
  );
