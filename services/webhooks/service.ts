import type { Bus } from '@roster/bus';
import type { IdClock, Log } from '@roster/process';
import { AuditLog, type Database, type AuditedCall, type Outbox } from '@roster/storage';
import type { TargetPolicy } from '@roster/process/targets';
import type { TokenCipher } from './secrets/token-cipher.js';

/** Dependencies of the operations of this service. */
export interface WebhooksService {
  database: Database;
  outbox: Outbox;
  bus: Pick<Bus, 'broadcast' | 'stream' | 'streamPosition'>;
  ids: IdClock;
  cipher: TokenCipher;
  /** The URLs that deliveries are sent to. The dispatcher checks the addresses of host names. */
  targets: TargetPolicy;
  /** Days of consecutive failures after which a webhook is disabled. */
  failingDaysMax: number;
  log: Pick<Log, 'warn'>;
}

export const schema = 'webhooks';

/** What this service records. */
export const auditLog = new AuditLog(schema);

/** The entry of a call that shows the token of a webhook and changes nothing. */
export const tokenRead = (call: AuditedCall, webhookId: string) =>
  [call, { action: 'webhook.token_read', resourceId: webhookId }] as const;
