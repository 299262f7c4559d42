import type { Bus } from '@roster/bus';
import type { IdClock, Log } from '@roster/process';
import type { Database } from '@roster/storage';
import type { TargetPolicy } from '@roster/process/targets';
import type { TokenCipher } from './secrets/token-cipher.js';

/** Dependencies of the operations of this service. */
export interface WebhooksService {
  database: Database;
  bus: Pick<Bus, 'broadcast' | 'streamPosition'>;
  ids: IdClock;
  cipher: TokenCipher;
  /** The URLs that deliveries are sent to. The dispatcher checks the addresses of host names. */
  targets: TargetPolicy;
  /** Days of consecutive failures after which a webhook is disabled. */
  failingDaysMax: number;
  log: Pick<Log, 'warn'>;
}

export const schema = 'webhooks';
