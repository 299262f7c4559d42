import type pg from 'pg';
import type { Plan } from '../statement.js';

/** A query that a connection is about to send. */
export interface Sent {
  text: string;
  /** Name of a prepared statement. */
  name?: string;
  plan?: Plan;
}

/** SQL that a connection sends before its queries. */
export interface Preamble {
  /** Returns the SQL to send before a query, if any. Called once for each query, in order. */
  before(query: Sent): string | undefined;
}

/**
 * Sends the SQL of all preambles before each query of a connection, as one message. The startup packet contains no settings,
 * because poolers reject them.
 */
export function sendPreambles(client: pg.ClientBase, preambles: readonly Preamble[]): void {
  const send = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
  client.query = ((query: unknown, ...rest: unknown[]) => {
    const sent = typeof query === 'string' ? { text: query } : (query as Sent);
    const changes = preambles.map((preamble) => preamble.before(sent)).filter(Boolean);
    // If a preamble fails, the query fails as well.
    if (changes.length > 0) send(changes.join('; '), () => undefined);
    return send(query, ...rest);
  }) as typeof client.query;
}

/** Settings that a connection has either all or none of. */
export class SettingsSwitch {
  readonly #on: string;
  readonly #off: string;
  /** Undefined if a rollback may have undone the last change. */
  #isOn: boolean | undefined = false;

  constructor(settings: Readonly<Record<string, string | number>>) {
    const entries = Object.entries(settings);
    this.#on = entries.map(([name, value]) => `set ${name} = ${value}`).join('; ');
    this.#off = entries.map(([name]) => `reset ${name}`).join('; ');
  }

  /**
   * Returns the SQL that turns the settings on or off before a query, if they are not already.
   *
   * @param isOn undefined leaves them unchanged
   */
  turn(isOn: boolean | undefined, query: Sent): string | undefined {
    const isChanged = isOn !== undefined && isOn !== this.#isOn;
    if (isChanged) this.#isOn = isOn;
    if (query.name === undefined && undoes.test(query.text)) this.#isOn = undefined;
    if (!isChanged) return undefined;
    return isOn ? this.#on : this.#off;
  }
}

/** Queries that may undo settings. */
export const undoes = /^\s*rollback\b/i;
