import type { Logger } from 'pino';
import type { Database } from './database.js';
import type { Keys } from './keys.js';
import type { Outbox } from './outbox.js';

/** What the routes work with. */
export interface Monolith {
  database: Database;
  outbox: Outbox;
  keys: Keys;
  log: Logger;
}
