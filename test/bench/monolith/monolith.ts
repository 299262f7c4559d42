import type { Logger } from 'pino';
import type { Database } from './database.js';
import type { Keys } from './keys.js';
import type { Outbox } from './outbox.js';

/** The dependencies of the routes. */
export interface Monolith {
  database: Database;
  outbox: Outbox;
  keys: Keys;
  log: Logger;
}
