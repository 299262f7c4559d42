import type { EntityManager, MikroORM } from '@mikro-orm/postgresql';
import type { ControlledTransaction } from 'kysely';
import { runPreparedIn, type Statement } from './statement.js';
import { failureOf } from './faults.js';
import { startStatement } from './statement-span.js';
import { Fault } from '@roster/contracts';

/** Runs statements: in the pool, each separately, or in one transaction. */
export interface Session {
  /**
   * Runs a frequent statement, with `$1` for the first value.
   *
   * @throws Fault `unavailable` if PostgreSQL is unreachable, `timeout` if the connection was lost after the statement was
   *   sent: its outcome is unknown
   */
  query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]>;
  /** Runs `work` in a transaction or, within a transaction, in a savepoint. */
  transaction<T>(work: (session: Session) => Promise<T>): Promise<T>;
  /** For rare statements. Outside of transactions it has a new identity map. Throws the same faults as `query`. */
  readonly em: EntityManager;
  /**
   * Runs once the transaction is committed, or immediately outside of transactions. Never after a rollback. What it throws is
   * logged.
   */
  afterCommit(then: () => void): void;
}

/** Converts errors of statements, and observes their duration. */
export interface Reporting {
  reportedAs: (error: unknown) => unknown;
  observe: (statement: string, seconds: number) => void;
}

/** A session in a transaction. */
export class TransactionSession implements Session {
  readonly em: EntityManager;
  readonly #afterCommit: (() => void)[];
  readonly #reporting: Reporting;

  /** @param afterCommit collects the functions to run after the commit */
  constructor(em: EntityManager, afterCommit: (() => void)[], reporting: Reporting) {
    this.em = em;
    this.#afterCommit = afterCommit;
    this.#reporting = reporting;
  }

  async query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const transaction = this.em.getTransactionContext<ControlledTransaction<unknown>>()!;
    const { reportedAs, observe } = this.#reporting;
    const started = performance.now();
    const span = startStatement(statement.name);
    try {
      const rows = await runPreparedIn<Row>(transaction, statement, values);
      span?.end();
      return rows;
    } catch (error) {
      span?.end(failureOf(error));
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

/**
 * Measures all statements of an EntityManager, in transactions or not, under names of a fixed set such as
 * `orm.select.webhooks`, and converts their errors like those of other statements.
 */
export function guardEntityManager(orm: MikroORM, { reportedAs, observe }: Reporting): void {
  const connection = orm.em.getConnection();
  const execute = connection.execute.bind(connection);
  connection.execute = async (query, ...rest) => {
    const started = performance.now();
    const name = nameOf(query);
    const span = startStatement(name);
    let failure: string | undefined;
    try {
      return await execute(query, ...rest);
    } catch (error) {
      failure = failureOf(error);
      throw reportedAs(error);
    } finally {
      span?.end(failure);
      observe(name, (performance.now() - started) / 1000);
    }
  };
  // The ORM converts errors of the connection. Faults are already converted.
  const converter = orm.em.getPlatform().getExceptionConverter();
  const convert = converter.convertException.bind(converter);
  converter.convertException = (error) => (error instanceof Fault ? error : convert(error));
}

type Query = Parameters<ReturnType<MikroORM['em']['getConnection']>['execute']>[0];

const shape =
  /^\s*(?:(select)\b.*?\bfrom|(insert) into|(update)|(delete) from) "[^"]+"\."([^"]+)"/is;

function nameOf(query: Query): string {
  const text = typeof query === 'string' ? query : 'sql' in query ? query.sql : query.compile().sql;
  const [, select, insert, update, remove, table] = shape.exec(text) ?? [];
  const verb = select ?? insert ?? update ?? remove;
  return verb === undefined ? 'orm.other' : `orm.${verb.toLowerCase()}.${table}`;
}
