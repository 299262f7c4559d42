import { type Preamble, type Sent, SettingsSwitch } from './preamble.js';

/** Statement timeout: longer than any caller waits. */
const statementMs = 15_000;

/** How long a prepared statement may keep its plan. */
const planAgeMs = 5000;

/**
 * Has the prepared statements of a connection planned once for all values, with index scans, as for large tables. Otherwise
 * PostgreSQL plans a statement for an empty table, prefers a sequential scan, and keeps that plan until statistics are
 * collected: a minute into an import. All other statements are planned with the default settings. See README.md.
 *
 * The settings are sent when a connection changes between the two kinds of statements, which is rare.
 *
 * @param now clock in milliseconds, for tests
 */
export const planByKey = (now = () => performance.now()): Preamble[] => [
  new PlanAge(now),
  new PlannerSettings(),
];

/** When the statements of a connection were planned. The oldest plan determines the age. */
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
    plan_cache_mode: 'force_generic_plan',
    enable_seqscan: 'off',
    enable_hashjoin: 'off',
    enable_mergejoin: 'off',
    // The costs of a forbidden scan (before PostgreSQL 18) and of a generic plan exceed the threshold from which a plan is
    // compiled, which takes longer than most statements.
    jit: 'off',
    statement_timeout: statementMs,
  });

  before(query: Sent): string | undefined {
    const { text, name, plan } = query;
    const isPlanned = name !== undefined || !controlsTransaction.test(text);
    return this.#settings.turn(isPlanned ? name !== undefined && plan !== 'any' : undefined, query);
  }
}

const controlsTransaction = /^\s*(begin|start transaction|commit|rollback|savepoint|release)\b/i;
