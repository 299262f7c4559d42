import type pg from 'pg';
import type { Plan } from '../statement.js';

/** What a connection is asked to run. */
export interface Sent {
  text: string;
  /** Of a prepared statement. */
  name?: string;
  plan?: Plan;
}

/** What a connection needs before its queries. */
export interface Preamble {
  /** What is to be sent before a query, if anything. Called once for each query, in their order. */
  before(query: Sent): string | undefined;
}

/**
 * Sends before each query of a connection what the preambles need, as one message. Nothing is sent at the start of a
 * connection: poolers refuse that.
 */
export function sendPreambles(client: pg.ClientBase, preambles: readonly Preamble[]): void {
  const send = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
  client.query = ((query: unknown, ...rest: unknown[]) => {
    const sent = typeof query === 'string' ? { text: query } : (query as Sent);
    const changes = preambles.map((preamble) => preamble.before(sent)).filter(Boolean);
    // What keeps them from taking effect keeps the query from running.
    if (changes.length > 0) send(changes.join('; '), () => undefined);
    return send(query, ...rest);
  }) as typeof client.query;
}
