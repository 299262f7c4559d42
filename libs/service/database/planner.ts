import type pg from 'pg';
import type { Plan } from './statement.js';

/**
 * Has a connection's prepared statements planned by keys. Left to itself, PostgreSQL plans a statement for an empty table,
 * which it would rather read whole, and keeps to that plan until it next looks at how large the table has become: a minute
 * into an import. Everything else that the connection sends is planned as PostgreSQL likes.
 *
 * The settings are sent when a connection goes from one to the other, which is rare, and never at its start: poolers refuse
 * that.
 */
export function planByKey(client: pg.ClientBase): void {
  const send = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
  const settings = new PlannerSettings();
  client.query = ((query: unknown, ...rest: unknown[]) => {
    const change = settings.before(query);
    // What keeps them from being set keeps the query from running.
    if (change !== undefined) send(change, () => undefined);
    return send(query, ...rest);
  }) as typeof client.query;
}

/** Which settings a connection has. */
class PlannerSettings {
  /** Whether those for plans by keys are on; undefined where a rollback may have undone the last change. */
  #byKey: boolean | undefined = false;

  /** What is to be sent before a query, if anything. */
  before(query: unknown): string | undefined {
    const { text, name, plan } = asPlanned(query);
    if (name === undefined && transactionControl.test(text)) {
      if (undoes.test(text)) this.#byKey = undefined;
      return undefined;
    }
    const byKey = name !== undefined && plan !== 'any';
    if (byKey === this.#byKey) return undefined;
    this.#byKey = byKey;
    return byKey ? on : off;
  }
}

const asPlanned = (query: unknown): { text: string; name?: string; plan?: Plan } =>
  typeof query === 'string' ? { text: query } : (query as { text: string });

const transactionControl = /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i;
const undoes = /^\s*rollback\b/i;

const switches = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
const on = switches.map((name) => `set ${name} = off`).join('; ');
const off = switches.map((name) => `reset ${name}`).join('; ');
