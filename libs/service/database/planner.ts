import type pg from 'pg';
import type { Plan } from './statement.js';

/** How long a statement by keys may run: longer than anybody waits for its answer. */
const statementMs = 15_000;

/** How long a prepared statement may keep a plan. */
const planAgeMs = 5000;

/**
 * Has a connection's prepared statements planned by keys, for tables as large as they are. Left to itself, PostgreSQL plans a
 * statement for an empty table, which it would rather read whole, and keeps to that plan until statistics are gathered: a
 * minute into an import. Everything else that the connection sends is planned as PostgreSQL likes. See README.md.
 *
 * The settings are sent when a connection goes from one to the other, which is rare, and never at its start: poolers refuse
 * that.
 *
 * @param now milliseconds; for tests
 */
export function planByKey(client: pg.ClientBase, now = () => performance.now()): void {
  const send = client.query.bind(client) as (query: unknown, ...rest: unknown[]) => unknown;
  const settings = new PlannerSettings();
  const plans = new PlanAge(now);
  client.query = ((query: unknown, ...rest: unknown[]) => {
    const planned = asPlanned(query);
    const changes = [plans.before(planned), settings.before(planned)].filter(Boolean).join('; ');
    // What keeps them from taking effect keeps the query from running.
    if (changes !== '') send(changes, () => undefined);
    return send(query, ...rest);
  }) as typeof client.query;
}

/** When a connection's statements were planned. The age of its oldest plan counts for all. */
class PlanAge {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  /** What is to be sent before a query, if anything. */
  before({ name }: Planned): string | undefined {
    if (name === undefined) return undefined;
    const now = this.#now();
    if (now - this.#since < planAgeMs) return undefined;
    this.#since = now;
    return 'discard plans';
  }
}

/** Which settings a connection has. */
class PlannerSettings {
  /** Whether those for plans by keys are on; undefined where a rollback may have undone the last change. */
  #byKey: boolean | undefined = false;

  /** What is to be sent before a query, if anything. */
  before({ text, name, plan }: Planned): string | undefined {
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

interface Planned {
  text: string;
  name?: string;
  plan?: Plan;
}

const asPlanned = (query: unknown): Planned =>
  typeof query === 'string' ? { text: query } : (query as Planned);

const transactionControl = /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i;
const undoes = /^\s*rollback\b/i;

const switches = ['enable_seqscan', 'enable_hashjoin', 'enable_mergejoin'];
const on = [
  ...switches.map((name) => `set ${name} = off`),
  `set statement_timeout = ${statementMs}`,
].join('; ');
const off = [...switches, 'statement_timeout'].map((name) => `reset ${name}`).join('; ');
