import type { Bus, CallerSigner } from '@roster/bus';
import type { IdClock } from '@roster/process';
import type { AdminKeys } from './keys/admin-keys.js';
import type { IdentityProvider } from './sessions/identity-provider.js';
import { AuditLog, type Database, type Outbox } from '@roster/storage';

/** Dependencies of the operations of this service. */
export interface UsersService {
  database: Database;
  outbox: Outbox;
  bus: Pick<Bus, 'broadcast' | 'call' | 'stream'>;
  ids: IdClock;
  adminKeys: AdminKeys;
  /** Undefined without a signing key. */
  signer?: CallerSigner | undefined;
  /** Undefined if none is configured. */
  identityProvider?: Pick<IdentityProvider, 'host' | 'start' | 'finish'> | undefined;
}

export const schema = 'users';

/** What this service records. */
export const auditLog = new AuditLog(schema);
