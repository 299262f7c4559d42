import type { Preamble, Sent } from './preamble.js';
import { SettingsSwitch } from './settings-switch.js';

/** How long a statement by keys may run: longer than anybody waits for its answer. */
const statementMs = 15_000;

/** How long a prepared statement may keep a plan. */
const planAgeMs = 5000;

/**
 * Has a connection's prepared statements planned by keys, for tables as large as they are. Left to itself, PostgreSQL plans a
 * statement for an empty table, which it would rather read whole, and keeps to that plan until statistics are gathered: a
 * minute into an import. Everything else that the connection sends is planned as PostgreSQL likes. See README.md.
 *
 * The settings are sent when a connection goes from one to the other, which is rare.
 *
 * @param now milliseconds; for tests
 */
export const planByKey = (now = () => performance.now()): Preamble[] => [
  new PlanAge(now),
  new PlannerSettings(),
];

/** When a connection's statements were planned. The age of its oldest plan counts for all. */
class PlanAge implements Preamble {
  readonly #now: () => number;
  #since: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  before({ name }: Sent): string | undefined {
    if (name === undefined) return undefined;
    const now = this.#now();
    if (now - this.#since < planAgeMs) return undefined;
    this.#since = now;
    return 'discard plans';
  }
}

class PlannerSettings implements Preamble {
  readonly #settings = new SettingsSwitch({
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    statement_timeout: statementMs,
  });

  before(query: Sent): string | undefined {
    const { text, name, plan } = query;
    const isPlanned = name !== undefined || !controlsTransaction.test(text);
    return this.#settings.turn(isPlanned ? name !== undefined && plan !== 'any' : undefined, query);
  }
}

const controlsTransaction = /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i;
