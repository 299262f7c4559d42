import type { IdClock } from '@roster/service';
import type { Database, Outbox } from '@roster/service/storage';

/** What the operations of this service work with. */
export interface ContactsService {
  database: Database;
  outbox: Outbox;
  ids: IdClock;
}

export const schema = 'contacts';
