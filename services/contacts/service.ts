import type { IdClock } from '@roster/service';
import type { Bus } from '@roster/bus';
import type { Database, Outbox } from '@roster/service/storage';
import type { DefinitionCache } from './definitions/definition-cache.js';

/** What the operations of this service work with. */
export interface ContactsService {
  database: Database;
  outbox: Outbox;
  ids: IdClock;
  definitions: DefinitionCache;
  bus: Pick<Bus, 'broadcast'>;
}

export const schema = 'contacts';
