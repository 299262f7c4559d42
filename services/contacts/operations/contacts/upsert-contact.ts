import type { Operations } from '@roster/contracts';
import type { SessionHandler } from '@roster/storage';
import { lockContacts } from '../../writing/lock-batch.js';
import type { ContactsService } from '../../service.js';

type UpsertContact = Operations['contacts.upsert'];

/**
 * Locks what several upserts of one transaction write, as a batch does. One of them may update a contact before another one
 * defines a property or creates a contact, while other writes lock these first.
 */
export function lockUpserts(
  service: ContactsService,
  handle: SessionHandler<UpsertContact>,
): SessionHandler<UpsertContact> {
  const { partsOf } = handle;
  const handleLocked: SessionHandler<UpsertContact> = async (calls, session) => {
    const [call] = calls;
    if (session !== service.database && calls.length > 1) {
      const operations = calls.map(({ input }) => ({ action: 'upsert' as const, ...input }));
      await lockContacts(service, call!, operations, session);
    }
    return handle(calls, session);
  };
  return Object.assign(handleLocked, partsOf && { partsOf });
}
