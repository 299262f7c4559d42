import type { Database, IdClock, Outbox } from '@roster/service';

/** What the operations of this service work with. */
export interface ContactsService {
  database: Database;
  outbox: Outbox;
  ids: IdClock;
}

export const schema = 'contacts';
