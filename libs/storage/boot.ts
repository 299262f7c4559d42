import type { z } from 'zod';
import {
  type eventStreamConfig,
  observePool,
  observeStatements,
  type processConfig,
  type ProcessContext,
} from '@roster/process';
import type { databaseConfig } from './config.js';
import type { AuditLog } from './audit/audit-log.js';
import { Database, type DatabaseOptions } from './database.js';
import { purgeIdempotencyKeys } from './idempotency/remembered-answers.js';
import { Outbox } from './outbox/outbox.js';
import { startRetention } from './retention.js';

type StorageConfig = z.output<typeof processConfig> & z.output<typeof databaseConfig>;

const purgeEveryMs = 3_600_000;

/**
 * Opens the database of the service and waits until it is reachable with a current schema. `/readyz` checks it, and shutdown
 * closes it. With MIGRATE, this process migrates the schema; otherwise it waits until `roster migrate` has.
 */
export async function bootDatabase(
  { bus, config, log, metrics, requires, onShutdown, waitFor }: ProcessContext<StorageConfig>,
  owned: Pick<DatabaseOptions, 'schema' | 'entities' | 'migrations'>,
): Promise<Database> {
  const database = await Database.open({
    ...owned,
    url: config.DATABASE_URL,
    poolMax: config.DATABASE_POOL_MAX,
    log,
    observe: observeStatements(metrics),
  });
  onShutdown(() => database.close());
  const applied = await waitFor(async () => {
    if (config.MIGRATE) return database.migrate();
    await database.requireSchema();
    return [];
  });
  if (applied.length > 0) log.info({ applied }, 'applied migrations');
  bus.describe({ migration: owned.migrations.at(-1)?.name ?? 'none' });
  requires('postgres', () => database.ping());
  observePool(metrics, () => database.poolUse());
  return database;
}

/** Opens the outbox of the service. It republishes events that the stream lost, and is drained on shutdown. */
export async function bootOutbox(
  {
    bus,
    config,
    log,
    metrics,
    onShutdown,
    waitFor,
  }: ProcessContext<StorageConfig & z.output<typeof eventStreamConfig>>,
  database: Database,
  schema: string,
): Promise<Outbox> {
  const stream = { replicas: config.EVENTS_REPLICAS, maxAgeSeconds: config.EVENTS_MAX_AGE_SECONDS };
  bus.describe({ stream: `${stream.replicas} replicas, ${stream.maxAgeSeconds} s` });
  const publisher = await waitFor(() => bus.openEvents(stream));
  const outbox = await Outbox.open({
    schema,
    database,
    publisher,
    link: bus.link,
    callers: bus.callers,
    log,
    metrics,
    stream,
  });
  onShutdown(() => outbox.stop());
  return outbox;
}

/** Starts the task that deletes stored responses after a day. */
export function bootIdempotency(
  { log, metrics, onShutdown }: ProcessContext<StorageConfig>,
  database: Database,
  schema: string,
): void {
  const stop = startRetention(
    { metrics, log },
    {
      task: 'idempotency-keys',
      everyMs: purgeEveryMs,
      run: () => purgeIdempotencyKeys(database, schema),
    },
  );
  onShutdown(stop);
}

/** Starts the task that deletes entries of the audit log after 400 days. */
export function bootAuditLog(
  { log, metrics, onShutdown }: ProcessContext<StorageConfig>,
  database: Database,
  auditLog: AuditLog,
): void {
  const task = { task: 'audit-log', everyMs: purgeEveryMs, run: () => auditLog.purge(database) };
  onShutdown(startRetention({ metrics, log }, task));
}
