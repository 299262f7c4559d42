import { withLockWait } from '@roster/bus';
import { Migrator } from '@mikro-orm/migrations';
import {
  MikroORM,
  type EntityManager,
  type Options,
  type PostgreSqlConnection,
} from '@mikro-orm/postgresql';
import pLimit, { type LimitFunction } from 'p-limit';
import type { Pool } from 'pg';
import type { Log, PoolUse } from '@roster/process';
import { withSpan } from '@roster/telemetry';
import { parseDatabaseUrl } from './database/address.js';
import { databaseUnavailable, failureOf, isConnectionLoss, reportedAs } from './database/faults.js';
import {
  guardEntityManager,
  TransactionSession,
  type Reporting,
  type Session,
} from './database/session.js';
import { checkOut, runPrepared, type Statement } from './database/statement.js';
import { startStatement } from './database/statement-span.js';
import { planByKey } from './database/preambles/planner.js';
import { sendPreambles } from './database/preambles/preamble.js';
import { withRequirements, type SchemaMigration } from './database/schema.js';
import { Servers } from './database/servers.js';
import { SchemaUpgrade } from './database/upgrade.js';
import { WaitLimits } from './database/preambles/wait-limits.js';

export type { Session } from './database/session.js';
export type { Statement } from './database/statement.js';
export { violatedForeignKey, violatedUnique } from './database/faults.js';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema. */
  schema: string;
  poolMax: number;
  entities: NonNullable<Options['entities']>;
  /** Applied in this order, each once, by whichever process is first. */
  migrations: readonly SchemaMigration[];
  log: Log;
  observe?: (statement: string, seconds: number) => void;
  /** How long a statement may be without any response before the server is checked over another connection. */
  silentMs?: number;
}

/**
 * Connects, and migrates the schema of the service. Safe to run repeatedly and concurrently.
 *
 * @throws NotYet if PostgreSQL is unreachable or rejects the role, or if the schema is too new or contains tables of other
 *   software
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const database = await Database.open(options);
  try {
    await database.migrate();
  } catch (error) {
    await database.close();
    throw error;
  }
  return database;
}

export class Database implements Session {
  readonly #orm: MikroORM;
  readonly #servers: Servers;
  readonly #poolMax: number;
  readonly #limitTransactions: LimitFunction;
  readonly #reporting: Reporting;
  readonly #upgrade: SchemaUpgrade;
  readonly #limits: WaitLimits;
  readonly #log: Log;

  private constructor(
    orm: MikroORM,
    servers: Servers,
    limits: WaitLimits,
    options: DatabaseOptions,
  ) {
    const { schema, migrations, poolMax, log, observe = () => undefined } = options;
    this.#log = log;
    this.#orm = orm;
    this.#servers = servers;
    this.#limits = limits;
    this.#poolMax = poolMax;
    this.#reporting = { observe, reportedAs: (error) => reportedAs(error, servers) };
    this.#upgrade = new SchemaUpgrade({
      orm,
      servers,
      schema,
      migrations,
      pool: () => this.#pool(),
    });
    // A transaction may wait for a lock that a single statement holds. One connection is reserved for single statements, so
    // that both cannot wait for each other.
    this.#limitTransactions = pLimit(poolMax - 1);
    guardEntityManager(orm, this.#reporting);
  }

  /** Prepares the pool, without connecting. */
  static async open(options: DatabaseOptions): Promise<Database> {
    const { url, schema, poolMax, entities, migrations, log } = options;
    const address = parseDatabaseUrl(url);
    const servers = new Servers(address, options.silentMs ?? 10_000);
    const limits = new WaitLimits(address.client);
    const { host, port } = address.hosts[0]!;
    const orm = await MikroORM.init({
      // MikroORM does not support several hosts and TLS: see driverOptions.
      host,
      port,
      dbName: address.database,
      // A missing name is a programming error.
      ensureDatabase: false,
      schema,
      entities,
      discovery: { warnWhenNoEntities: false },
      extensions: [Migrator],
      migrations: {
        migrationsList: withRequirements(schema, migrations),
        tableName: 'migrations',
        // In one transaction for all migrations, an index could not be built concurrently.
        allOrNothing: false,
        snapshot: false,
        silent: true,
      },
      pool: { min: 0, max: poolMax },
      driverOptions: {
        connectionTimeoutMillis: address.connectMs,
        keepAlive: true,
        application_name: `roster-${schema}`,
        ...address.client,
        ...servers.poolOptions,
        onPoolCreated(pool: Pool) {
          pool.on('connect', (client) => {
            sendPreambles(client, [...limits.preambles(), ...planByKey()]);
          });
          servers.watch(pool);
        },
      },
      logger: (line) => log.warn({ line }, 'database'),
      debug: false,
    });
    return new Database(orm, servers, limits, options);
  }

  get em(): EntityManager {
    return this.#orm.em.fork();
  }

  async query<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const pool = await this.#pool();
    const client = await checkOut(pool).catch((error: unknown) => {
      throw databaseUnavailable(error);
    });
    const started = performance.now();
    const span = startStatement(statement.name);
    let broken = false;
    try {
      const rows = await runPrepared<Row & object>(client, statement, values);
      span?.end();
      return rows;
    } catch (error) {
      span?.end(failureOf(error));
      broken = isConnectionLoss(error);
      throw this.#reporting.reportedAs(error);
    } finally {
      client.release(broken);
      this.#reporting.observe(statement.name, (performance.now() - started) / 1000);
    }
  }

  async transaction<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const afterCommit: (() => void)[] = [];
    const session = (em: EntityManager) => new TransactionSession(em, afterCommit, this.#reporting);
    let result: T;
    try {
      result = await this.#limitTransactions(() =>
        this.em.transactional((em) => work(session(em))),
      );
    } catch (error) {
      throw this.#reporting.reportedAs(error);
    }
    for (const then of afterCommit) this.afterCommit(then);
    return result;
  }

  afterCommit(then: () => void): void {
    try {
      // What it starts outlives the batch.
      withLockWait(undefined, () => withSpan(undefined, then));
    } catch (error) {
      // The change is committed: its caller must not repeat it.
      this.#log.error({ err: error }, 'a step after a commit failed');
    }
  }

  /** For readiness. Rejects or hangs if PostgreSQL is unreachable, or read-only where writes are required. */
  async ping(): Promise<boolean> {
    const [row] = await this.query<{ readonly: string }>(ping, []);
    return row?.readonly === 'off' || this.#servers.acceptReadOnly();
  }

  /** For metrics. */
  async poolUse(): Promise<PoolUse> {
    const pool = await this.#pool();
    return {
      max: this.#poolMax,
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount + this.#limitTransactions.pendingCount,
    };
  }

  /**
   * Applies missing migrations. One process migrates at a time; the others wait, and find nothing to do.
   *
   * @returns the names of the migrations that it applied
   * @throws NotYet as `openDatabase`
   */
  migrate(): Promise<string[]> {
    return this.#limits.suspendedDuring(() => this.#upgrade.apply());
  }

  /**
   * Checks that the schema has every migration of this release.
   *
   * @throws NotYet that names missing migrations; otherwise as `openDatabase`
   */
  requireSchema(): Promise<void> {
    return this.#upgrade.require();
  }

  /** Names of the migrations that the schema lacks. */
  pending(): Promise<string[]> {
    return this.#upgrade.missing();
  }

  async close(): Promise<void> {
    this.#servers.close();
    await this.#orm.close(true);
  }

  #pool(): Promise<Pool> {
    const connection: PostgreSqlConnection = this.#orm.em.getConnection();
    return connection.getNativeClient();
  }
}

const ping: Statement = {
  name: 'ping',
  text: `select current_setting('transaction_read_only') as readonly`,
};
