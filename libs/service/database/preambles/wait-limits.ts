import type { Preamble } from './preamble.js';
import { SettingsSwitch } from './settings-switch.js';

/** Values in milliseconds of settings of PostgreSQL. */
const limits = {
  // A statement fails after waiting this long for a lock. Otherwise waiting statements could occupy all connections.
  lock_timeout: 2000,
  // A process that is paused within a transaction loses it, and its locks.
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * Limits how long connections wait for locks, and how long an idle transaction holds them. The settings are sent with the
 * next query. Settings in the database URL take precedence.
 */
export class WaitLimits {
  readonly #settings: Record<string, number>;
  #suspensions = 0;

  /** @param fromUrl settings in the database URL */
  constructor(fromUrl: object) {
    const own = Object.entries(limits).filter(([name]) => !(name in fromUrl));
    this.#settings = Object.fromEntries(own);
  }

  /** The limits of one connection. */
  preamble(): Preamble {
    const settings = new SettingsSwitch(this.#settings);
    return { before: (query) => settings.turn(this.#suspensions === 0, query) };
  }

  /** Runs `work` without limits: a migration waits for running transactions. */
  async suspendedDuring<T>(work: () => Promise<T>): Promise<T> {
    this.#suspensions += 1;
    try {
      return await work();
    } finally {
      this.#suspensions -= 1;
    }
  }
}
