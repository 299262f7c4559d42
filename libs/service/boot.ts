import type { z } from 'zod';
import type { databaseConfig, eventStreamConfig, processConfig } from './config.js';
import { openDatabase, type Database, type DatabaseOptions } from './database.js';
import { purgeIdempotencyKeys } from './idempotency.js';
import { observeStatements } from './metrics.js';
import { Outbox } from './outbox.js';
import type { ProcessContext } from './process.js';

type StorageConfig = z.output<typeof processConfig> & z.output<typeof databaseConfig>;

const purgeEveryMs = 3_600_000;

/** The service's database, connected, migrated, watched by `/readyz`, and closed on shutdown. */
export async function bootDatabase(
  { config, log, metrics, requires, onRelease }: ProcessContext<StorageConfig>,
  owned: Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations'>,
): Promise<Database> {
  const database = await openDatabase({
    ...owned,
    url: config.DATABASE_URL,
    poolMax: config.DATABASE_POOL_MAX,
    log,
    observe: observeStatements(metrics),
  });
  onRelease(() => database.close());
  requires('postgres', () => database.ping());
  return database;
}

/** The service's outbox, its lost tail republished, and drained on shutdown. */
export async function bootOutbox(
  {
    bus,
    config,
    log,
    metrics,
    onRelease,
  }: ProcessContext<StorageConfig & z.output<typeof eventStreamConfig>>,
  database: Database,
  schema: string,
): Promise<Outbox> {
  const stream = { replicas: config.EVENTS_REPLICAS, maxAgeSeconds: config.EVENTS_MAX_AGE_SECONDS };
  const publisher = await bus.openEvents(stream);
  const outbox = await Outbox.open({
    schema,
    database,
    publisher,
    link: bus.link,
    log,
    metrics,
    stream,
  });
  onRelease(() => outbox.stop());
  return outbox;
}

/** Forgets remembered answers after their day. */
export function bootIdempotency(
  { log, onRelease }: ProcessContext<StorageConfig>,
  database: Database,
  schema: string,
): void {
  const timer = setInterval(() => {
    purgeIdempotencyKeys(database, schema).catch((error: unknown) => {
      log.warn({ err: error }, 'could not forget old idempotency keys');
    });
  }, purgeEveryMs);
  onRelease(() => clearInterval(timer));
}
