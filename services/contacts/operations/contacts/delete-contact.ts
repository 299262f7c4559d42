import type { Operations } from '@roster/contracts';
import { conditional, inRounds, type SessionHandler } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { AuditAllowance } from '../../writing/audit-allowance.js';
import { byReference } from '../../writing/by-reference.js';
import { deleteContacts } from '../../writing/delete-contacts.js';
import { lockedContacts } from '../../writing/lock-contacts.js';

type DeleteContact = Operations['contacts.delete'];

export function deleteContact(service: ContactsService): SessionHandler<DeleteContact> {
  const allowance = new AuditAllowance();
  return byReference(
    service,
    inRounds<DeleteContact>(
      { rowOf: ({ input }) => input.contactId },
      conditional<DeleteContact>(lockedContacts, (calls, session) =>
        deleteContacts(service, calls, session, allowance),
      ),
    ),
  );
}
