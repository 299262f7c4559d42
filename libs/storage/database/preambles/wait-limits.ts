import { currentLockWait } from '@roster/bus';
import { type Preamble, type Sent, SettingsSwitch, undoes } from './preamble.js';

/** A statement fails after waiting this long for a lock. Otherwise waiting statements could occupy all connections. */
const lockMs = 2000;
/** A process that is paused within a transaction loses it, and its locks. */
const idleMs = 10_000;

/**
 * Limits how long connections wait for locks, and how long an idle transaction holds them. A batch may set a shorter limit for
 * locks. The settings are sent with the next query. Settings in the database URL take precedence.
 */
export class WaitLimits {
  readonly #fromUrl: { lock_timeout?: unknown; idle_in_transaction_session_timeout?: unknown };
  #suspensions = 0;

  /** @param fromUrl settings in the database URL */
  constructor(fromUrl: object) {
    this.#fromUrl = fromUrl;
  }

  /** The limits of one connection. */
  preambles(): Preamble[] {
    const idle = new SettingsSwitch({ idle_in_transaction_session_timeout: idleMs });
    const lock = new LockTimeout();
    const limitsIdle = !('idle_in_transaction_session_timeout' in this.#fromUrl);
    return [
      { before: (query) => idle.turn(limitsIdle && this.#suspensions === 0, query) },
      { before: (query) => lock.change(this.#lockMs(), query) },
    ];
  }

  /** Undefined for the setting of the connection. */
  #lockMs(): number | undefined {
    if (this.#suspensions > 0) return undefined;
    const batchMs = currentLockWait()?.ms;
    if (!('lock_timeout' in this.#fromUrl)) return batchMs ?? lockMs;
    const urlMs = Number(this.#fromUrl.lock_timeout);
    return batchMs === undefined || urlMs < batchMs ? undefined : batchMs;
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

/** The lock timeout of a connection. */
class LockTimeout {
  /** Null if a rollback may have undone the last change. */
  #ms: number | undefined | null;

  /** Returns the SQL that sets it before a query, if it has another value. */
  change(ms: number | undefined, query: Sent): string | undefined {
    const isChanged = ms !== this.#ms;
    this.#ms = query.name === undefined && undoes.test(query.text) ? null : ms;
    if (!isChanged) return undefined;
    return ms === undefined ? 'reset lock_timeout' : `set lock_timeout = ${ms}`;
  }
}
