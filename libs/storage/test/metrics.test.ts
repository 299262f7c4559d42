import { observePool, openLog } from '@roster/process';
import { throwawayDatabase } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { openDatabase } from '../index.js';
import { observeRetention } from '../retention.js';

const log = openLog('demo', 'silent');

test('pool metrics show the connections in use and the statements waiting for one', async (t) => {
  const database = await openPool(t, 2);
  const shown = figuresOf((registry) => observePool(registry, () => database.poolUse()));
  t.is((await shown())['roster_database_pool_used'], 0);
  const release = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const holder = database.transaction(async (session) => {
    await session.query({ name: 'one', text: 'select 1' }, []);
    held.resolve();
    await release.promise;
  });
  await held.promise;
  // One transaction at a time: the second connection is reserved for single statements.
  const waiter = database.transaction((session) =>
    session.query({ name: 'one', text: 'select 1' }, []),
  );
  t.like(await shown(), {
    roster_database_pool_max: 2,
    roster_database_pool_used: 1,
    roster_database_pool_waiting: 1,
  });
  release.resolve();
  await Promise.all([holder, waiter]);
  t.like(await shown(), { roster_database_pool_used: 0, roster_database_pool_waiting: 0 });
});

test('the metric of a retention task is the time of its last success, not of its last run', async (t) => {
  const registry = new Registry();
  const shown = figuresOf(() => {}, registry);
  const run = observeRetention(registry, 'purge', 60_000);
  observeRetention(registry, 'another', 1000);
  const interval = 'roster_retention_interval_seconds{task="purge"}';
  const done = 'roster_retention_last_success_timestamp_seconds{task="purge"}';
  const started = Date.now() / 1000 - process.uptime();
  t.is((await shown())[interval], 60);
  t.true(Math.abs((await shown())[done]! - started) < 2);
  await t.throwsAsync(run(() => Promise.reject(new Error('no'))));
  t.true(Math.abs((await shown())[done]! - started) < 2);
  t.is(await run(async () => 'result'), 'result');
  t.true(Date.now() / 1000 - (await shown())[done]! < 2);
});

/** The series of a scrape, with their values. */
function figuresOf(
  observe: (registry: Registry) => void,
  registry = new Registry(),
): () => Promise<Record<string, number>> {
  observe(registry);
  return async () => {
    const lines = (await registry.metrics()).split('\n');
    return Object.fromEntries(
      lines
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => [
          line.slice(0, line.lastIndexOf(' ')),
          Number(line.slice(line.lastIndexOf(' ') + 1).replace('Nan', 'NaN')),
        ]),
    );
  };
}

async function openPool(t: ExecutionContext, poolMax: number) {
  const postgres = await throwawayDatabase();
  t.teardown(() => postgres.drop());
  const database = await openDatabase({
    url: postgres.url,
    schema: 'demo',
    poolMax,
    entities: [],
    migrations: [],
    log,
  });
  t.teardown(() => database.close());
  return database;
}
