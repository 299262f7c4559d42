import { setTimeout as delay } from 'node:timers/promises';
import type { MikroORM } from '@mikro-orm/postgresql';
import type { Pool } from 'pg';
import { NotYet } from '@roster/process';
import { explainFailures, explainRefusal } from './explain.js';
import { rootOf, wrappedIn } from './faults.js';
import { checkOut } from './statement.js';
import {
  beingMigrated,
  migrationLock,
  readSchemaState,
  schemaForeign,
  schemaTooNew,
  schemaTooOld,
  type Query,
  type SchemaMigration,
  type SchemaState,
} from './schema.js';
import type { Servers } from './servers.js';

export interface UpgradeOptions {
  orm: MikroORM;
  pool: () => Promise<Pool>;
  servers: Servers;
  schema: string;
  migrations: readonly SchemaMigration[];
}

const lockPollMs = 100;
/** How long another session may migrate before that is reported. */
const lockMs = 10_000;

/** Compares a schema with the migrations of this release, and applies missing ones. All methods throw NotYet. */
export class SchemaUpgrade {
  readonly #options: UpgradeOptions;

  constructor(options: UpgradeOptions) {
    this.#options = options;
  }

  /**
   * One process migrates at a time; the others wait, and find nothing to do.
   *
   * @returns the names of the migrations that it applied
   */
  async apply(): Promise<string[]> {
    // First without a lock: a role without the privilege to create schemas finds nothing to do.
    const missing = await this.missing();
    if (missing.length === 0) return [];
    const { orm, schema } = this.#options;
    return this.#apart(async (query) => {
      await this.#lock(query);
      await this.#readState(query);
      await query(`create schema if not exists "${schema}"`);
      const applied = await orm.migrator.up();
      return applied.map(({ name }) => name);
    });
  }

  /** @throws NotYet that names missing migrations */
  async require(): Promise<void> {
    const state = await this.#apart((query) => this.#readState(query));
    if (state.missing.length > 0) throw schemaTooOld(this.#options.schema, state);
  }

  async missing(): Promise<string[]> {
    const { missing } = await this.#apart((query) => this.#readState(query));
    return missing;
  }

  /** Polls the lock: a statement that waits for it would block concurrent index builds. */
  async #lock(query: Query): Promise<void> {
    const { schema } = this.#options;
    for (const started = performance.now(); performance.now() - started < lockMs;) {
      const [row] = await query<{ locked: boolean }>(
        `select pg_try_advisory_lock(${migrationLock(schema)}) as locked`,
      );
      if (row?.locked) return;
      await delay(lockPollMs);
    }
    throw new NotYet(beingMigrated(schema), { passing: true });
  }

  async #readState(query: Query): Promise<SchemaState> {
    const { schema, migrations } = this.#options;
    const state = await readSchemaState(query, schema, migrations);
    if (state.unknown.length > 0) throw schemaTooNew(schema, state);
    if (state.foreign.length > 0) throw schemaForeign(schema, state);
    return state;
  }

  /** Runs `work` in a separate session that is closed afterwards, so that its locks are released in any case. */
  async #apart<T>(work: (query: Query) => Promise<T>): Promise<T> {
    try {
      const client = await checkOut(await this.#options.pool());
      try {
        return await work(async (text) => (await client.query(text)).rows);
      } finally {
        client.release(true);
      }
    } catch (error) {
      throw this.#explain(error) ?? error;
    }
  }

  #explain(error: unknown): NotYet | undefined {
    if (error instanceof NotYet) return error;
    for (let at = error; at instanceof Error; at = wrappedIn(at)) {
      const failures = this.#options.servers.failuresOf(at);
      if (failures) return explainFailures(failures, error);
    }
    return explainRefusal(rootOf(error));
  }
}
