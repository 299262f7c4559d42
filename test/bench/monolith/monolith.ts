import type { Logger } from 'pino';
import type { Database } from './database.js';
import type { Events } from './events.js';
import type { Keys } from './keys.js';

/** The dependencies of the routes. */
export interface Monolith {
  database: Database;
  events: Events;
  keys: Keys;
  log: Logger;
}
