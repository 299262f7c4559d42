import type { IdClock, WakeableSleep } from '@roster/process';
import type { Bus } from '@roster/bus';
import type { Database, Outbox } from '@roster/storage';
import type { DefinitionCache } from './writing/definitions/definition-cache.js';
import type { UnsubscribeLinks } from './reading/unsubscribe-links.js';

/** Dependencies of the operations of this service. */
export interface ContactsService {
  database: Database;
  outbox: Outbox;
  ids: IdClock;
  definitions: DefinitionCache;
  links: UnsubscribeLinks;
  /** Between two rounds of the imports of this process. */
  imports: WakeableSleep;
  bus: Pick<Bus, 'broadcast' | 'callers'>;
}

export const schema = 'contacts';
