import type { IdClock, WakeableSleep } from '@roster/process';
import type { ActivityReporter, Bus } from '@roster/bus';
import { AuditLog, type Database, type Outbox } from '@roster/storage';
import type { DefinitionCache } from './writing/definitions/definition-cache.js';
import type { Quotas } from './writing/quotas.js';
import type { UnsubscribeLinks } from './reading/unsubscribe-links.js';

/** Dependencies of the operations of this service. */
export interface ContactsService {
  database: Database;
  outbox: Outbox;
  ids: IdClock;
  definitions: DefinitionCache;
  quotas: Quotas;
  links: UnsubscribeLinks;
  /** Between two rounds of the jobs of this process. */
  jobs: WakeableSleep;
  activity: ActivityReporter;
  bus: Pick<Bus, 'broadcast' | 'callers' | 'eraser' | 'stream'>;
}

export const schema = 'contacts';

export const auditLog = new AuditLog(schema);
