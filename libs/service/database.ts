import { Migrator } from '@mikro-orm/migrations';
import {
  MikroORM,
  type EntityManager,
  type Options,
  type PostgreSqlConnection,
} from '@mikro-orm/postgresql';
import { Fault } from '@roster/contracts';
import { CompiledQuery, type ControlledTransaction } from 'kysely';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Log } from './log.js';
import { checkOut, runPrepared } from './native-client.js';
import { withoutRow } from './without-row.js';

/** SQL written out. Prepared once per connection under its name, which also names it in metrics. */
export interface Statement {
  name: string;
  text: string;
}

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
  /** For everything that is not hot. A fresh identity map outside of transactions. */
  readonly em: EntityManager;
  /** Runs once what was done here is committed; at once outside of transactions. Never after a rollback. */
  afterCommit(then: () => void): void;
}

export interface DatabaseOptions {
  url: string;
  /** The service's own schema. */
  schema: string;
  poolMax: number;
  entities: NonNullable<Options['entities']>;
  /** In order. Each runs once, whoever comes first. */
  migrations: { name: string; class: new (...args: never[]) => object }[];
  log: Log;
  observe?: (statement: string, seconds: number) => void;
}

const connectMs = 3000;
/**
 * Every statement finds its rows by their keys. Left to itself, PostgreSQL plans one for an empty table, which it would rather read
 * whole, and keeps to that plan until it next looks at how large the table has become: a minute into an import.
 */
const byKey = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off';

/** Connects and brings the service's schema up to date: twice, or from two processes at once, without harm. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { url, schema, poolMax, entities, migrations, log } = options;
  const orm = await MikroORM.init({
    clientUrl: url,
    schema,
    entities,
    discovery: { warnWhenNoEntities: false },
    extensions: [Migrator],
    migrations: {
      migrationsList: migrations as never,
      tableName: 'migrations',
      snapshot: false,
      silent: true,
    },
    pool: { min: 0, max: poolMax },
    driverOptions: {
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      application_name: `roster-${schema}`,
      options: byKey,
    },
    logger: (line) => log.warn({ line }, 'database'),
    debug: false,
  });
  const database = new Database(orm, poolMax, options.observe ?? (() => undefined));
  try {
    await database.migrate(schema);
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export class Database implements Session {
  readonly #orm: MikroORM;
  readonly #limitTransactions: LimitFunction;
  readonly #observe: (statement: string, seconds: number) => void;

  constructor(
    orm: MikroORM,
    poolMax: number,
    observe: (statement: string, seconds: number) => void,
  ) {
    this.#orm = orm;
    // A transaction may wait for what a single statement does. One connection is left for those, lest they wait for each other.
    this.#limitTransactions = pLimit(poolMax - 1);
    this.#observe = observe;
  }

  get em(): EntityManager {
    return this.#orm.em.fork();
  }

  async query<Row>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const pool = await this.#connection().getNativeClient();
    const client = await checkOut(pool).catch((error: unknown) => {
      throw away(error);
    });
    const started = performance.now();
    let broken = false;
    try {
      return await runPrepared<Row & object>(client, { name, text, values: values as unknown[] });
    } catch (error) {
      broken = isConnectionLoss(error);
      throw broken ? outcomeUnknown(error) : withoutRow(error);
    } finally {
      client.release(broken);
      this.#observe(name, (performance.now() - started) / 1000);
    }
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const afterCommit: (() => void)[] = [];
    let result: T;
    try {
      result = await this.#limitTransactions(() =>
        this.em.transactional((em) => work(new TransactionSession(em, afterCommit, this.#observe))),
      );
    } catch (error) {
      if (error instanceof Fault) throw error;
      if (isConnectFailure(error)) throw away(error);
      throw isConnectionLoss(error) ? outcomeUnknown(error) : withoutRow(error);
    }
    for (const then of afterCommit) then();
    return result;
  }

  afterCommit(then: () => void): void {
    then();
  }

  /** For readiness: throws or hangs when PostgreSQL is away. */
  async ping(): Promise<boolean> {
    await this.query({ name: 'ping', text: 'select 1' }, []);
    return true;
  }

  /** One process migrates at a time; the others wait and find nothing to do. */
  async migrate(schema: string): Promise<void> {
    const pool = await this.#connection().getNativeClient();
    const client = await pool.connect();
    try {
      await client.query('select pg_advisory_lock(hashtext($1))', [`roster:migrate:${schema}`]);
      await client.query(`create schema if not exists "${schema}"`);
      await this.#orm.migrator.up();
    } finally {
      // Ending the session gives the lock back, whatever happened.
      client.release(true);
    }
  }

  async close(): Promise<void> {
    await this.#orm.close(true);
  }

  #connection(): PostgreSqlConnection {
    return this.#orm.em.getConnection();
  }
}

class TransactionSession implements Session {
  readonly em: EntityManager;
  readonly #afterCommit: (() => void)[];
  readonly #observe: (statement: string, seconds: number) => void;

  constructor(
    em: EntityManager,
    afterCommit: (() => void)[],
    observe: (statement: string, seconds: number) => void,
  ) {
    this.em = em;
    this.#afterCommit = afterCommit;
    this.#observe = observe;
  }

  async query<Row>({ name, text }: Statement, values: readonly unknown[]): Promise<Row[]> {
    const transaction = this.em.getTransactionContext<ControlledTransaction<unknown>>()!;
    const started = performance.now();
    const { rows } = await transaction
      .executeQuery<Row>(CompiledQuery.raw(text, values as unknown[]))
      .catch((error: unknown) => {
        throw withoutRow(error);
      });
    this.#observe(name, (performance.now() - started) / 1000);
    return rows;
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const afterCommit: (() => void)[] = [];
    const result = await this.em
      .transactional((em) => work(new TransactionSession(em, afterCommit, this.#observe)))
      .catch((error: unknown) => {
        throw withoutRow(error);
      });
    this.#afterCommit.push(...afterCommit);
    return result;
  }

  afterCommit(then: () => void): void {
    this.#afterCommit.push(then);
  }
}

/** The constraint a statement violated (SQLSTATE 23505), by name. */
export function violatedUnique(error: unknown): string | undefined {
  const { code, constraint } = rootOf(error);
  return code === '23505' ? constraint : undefined;
}

interface DriverError {
  code?: string;
  constraint?: string;
  message?: string;
}

/** MikroORM and Kysely wrap what the driver threw. */
function rootOf(error: unknown): DriverError {
  let root = error as { previous?: unknown; cause?: unknown };
  while (root?.previous ?? root?.cause) root = (root.previous ?? root.cause) as typeof root;
  return root as DriverError;
}

const connectCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', '57P03', '53300']);

function isConnectFailure(error: unknown): boolean {
  const { code, message } = rootOf(error);
  return (
    connectCodes.has(code ?? '') || /timeout exceeded when trying to connect/.test(message ?? '')
  );
}

function isConnectionLoss(error: unknown): boolean {
  const { code = '', message = '' } = rootOf(error);
  return (
    /^(08...|57P0[12]|ECONNRESET|EPIPE|ETIMEDOUT)$/.test(code) ||
    /Connection terminated|not queryable/.test(message)
  );
}

const away = (error: unknown): Fault =>
  new Fault('unavailable', 'The service is not available right now. Try again shortly.', {
    retryAfterSeconds: 1,
    reason: `PostgreSQL is away: ${rootOf(error).message}`,
  });

const outcomeUnknown = (error: unknown): Fault =>
  new Fault(
    'timeout',
    'The connection to the database broke, and a change may have happened. ' +
      'With an Idempotency-Key header it is safe to send the request again.',
    { reason: `lost PostgreSQL: ${rootOf(error).message}` },
  );
