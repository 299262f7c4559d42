import type pg from 'pg';

/** Milliseconds, by the settings of PostgreSQL. */
const limits = {
  // Who waits longer for a lock is refused, lest the connections of all who wait are missing to everybody else.
  lock_timeout: 2000,
  // A process that is paused within a transaction loses it, and with it the locks.
  idle_in_transaction_session_timeout: 10_000,
};

/**
 * How long connections may wait for locks, and hold them while they do nothing. A connection is told with its next query, and
 * not by options at its start: poolers refuse those. What the database URL sets stays.
 */
export class WaitLimits {
  readonly #on: string;
  readonly #off: string;
  #suspensions = 0;

  /** @param fromUrl settings that the database URL makes */
  constructor(fromUrl: object) {
    const own = Object.entries(limits).filter(([name]) => !(name in fromUrl));
    this.#on = own.map(([name, ms]) => `set ${name} = ${ms}`).join('; ');
    this.#off = own.map(([name]) => `reset ${name}`).join('; ');
  }

  applyTo(client: pg.ClientBase): void {
    if (this.#on === '') return;
    const send = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
    let limited = false;
    client.query = ((query: unknown, ...rest: unknown[]) => {
      const wanted = this.#suspensions === 0;
      if (wanted !== limited) {
        limited = wanted;
        // What keeps it from taking effect keeps the query from running.
        send(wanted ? this.#on : this.#off, () => undefined);
      }
      return send(query, ...rest);
    }) as typeof client.query;
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
