import type { Bus } from '@roster/bus';
import type { Database, IdClock } from '@roster/service';
import type { TokenCipher } from './token-cipher.js';

/** What the operations of this service work with. */
export interface WebhooksService {
  database: Database;
  bus: Pick<Bus, 'broadcast'>;
  ids: IdClock;
  cipher: TokenCipher;
  /** Whether events may be sent unencrypted: to receivers on a developer's machine. */
  allowHttp: boolean;
}

export const schema = 'webhooks';
