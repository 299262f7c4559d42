import type { EntityManager } from '@mikro-orm/postgresql';
import type { ControlledTransaction } from 'kysely';
import { runPreparedIn } from './native-client.js';
import type { Statement } from './statement.js';

/** Where statements run: the pool, each on its own, or one transaction. */
export interface Session {
  /**
   * Runs a hot statement, `$1` standing for the first value.
   *
   * @throws Fault `unavailable` when PostgreSQL is away, `timeout` when the connection broke while the statement ran and
   *   its outcome is unknown
   */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Everything in `work` happens, or nothing. Inside a transaction: a savepoint. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** For everything that is not hot. A fresh identity map outside of transactions. Throws the faults of `query`. */
  readonly em: EntityManager;
  /** Runs once what was done here is committed; at once outside of transactions. Never after a rollback. */
  afterCommit(then: () => void): void;
}

/** What a failed statement is reported as, and who is told how long one took. */
export interface Reporting {
  reportedAs: (error: unknown) => unknown;
  observe: (statement: string, seconds: number) => void;
}

/** One transaction. */
export class TransactionSession implements Session {
  readonly em: EntityManager;
  readonly #afterCommit: (() => void)[];
  readonly #reporting: Reporting;

  /** @param afterCommit where to put what is to run after the commit */
  constructor(em: EntityManager, afterCommit: (() => void)[], reporting: Reporting) {
    this.em = em;
    this.#afterCommit = afterCommit;
    this.#reporting = reporting;
  }

  async query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const transaction = this.em.getTransactionContext<ControlledTransaction<unknown>>()!;
    const { reportedAs, observe } = this.#reporting;
    const started = performance.now();
    try {
      return await runPreparedIn<Row>(transaction, statement, values);
    } catch (error) {
      throw reportedAs(error);
    } finally {
      observe(statement.name, (performance.now() - started) / 1000);
    }
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const { reportedAs } = this.#reporting;
    const afterCommit: (() => void)[] = [];
    const result = await this.em
      .transactional((em) => work(new TransactionSession(em, afterCommit, this.#reporting)))
      .catch((error: unknown) => {
        throw reportedAs(error);
      });
    this.#afterCommit.push(...afterCommit);
    return result;
  }

  afterCommit(then: () => void): void {
    this.#afterCommit.push(then);
  }
}
