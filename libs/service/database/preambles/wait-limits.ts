import type { Preamble } from './preamble.js';
import { SettingsSwitch } from './settings-switch.js';

/** Milliseconds, by the settings of PostgreSQL. */
const limits = {
  // Who waits longer for a lock is refused, lest the connections of all who wait are missing to everybody else.
  lock_timeout: 2000,
  // A process that is paused within a transaction loses it, and with it the locks.
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * How long connections may wait for locks, and hold them while they do nothing. A connection is told with its next query. What
 * the database URL sets stays.
 */
export class WaitLimits {
  readonly #settings: Record<string, number>;
  #suspensions = 0;

  /** @param fromUrl settings that the database URL makes */
  constructor(fromUrl: object) {
    const own = Object.entries(limits).filter(([name]) => !(name in fromUrl));
    this.#settings = Object.fromEntries(own);
  }

  /** Of one connection. */
  preamble(): Preamble {
    const settings = new SettingsSwitch(this.#settings);
    return { before: (query) => settings.turn(this.#suspensions === 0, query) };
  }

  /** Runs `work` without limits: a migration waits for what is under way. */
  async suspendedDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#suspensions += 1;
    try {
      return await work();
    } finally {
      this.#suspensions -= 1;
    }
  }
}
