import { setTimeout as delay } from 'node:timers/promises';
import { connectBus } from '@roster/bus';
import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import { openLog } from '../index.js';
import {
  observeLink,
  observePool,
  observeReadiness,
  observeTogether,
  openMetrics,
} from '../metrics.js';
import { observeRetention } from '../retention.js';
import { openDatabase } from '../storage.js';

const log = openLog('demo', 'silent');

test('a read that never resolves makes its gauges NaN, and is not started again', async (t) => {
  let reads = 0;
  const shown = figuresOf((registry) =>
    observeTogether<{ figure: number }>(
      registry,
      () => {
        reads += 1;
        return new Promise(() => {});
      },
      { figure: ['demo_figure', 'Of a server that went silent.'] },
    ),
  );
  t.deepEqual(await shown(), { demo_figure: Number.NaN });
  t.deepEqual(await shown(), { demo_figure: Number.NaN });
  t.is(reads, 1);
});

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

test('a lost connection to NATS is shown and counted', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const bus = await connectBus({ servers: nats.url, name: 'test', log });
  t.teardown(() => bus.close());
  const shown = figuresOf((registry) => observeLink(registry, bus.link));
  t.deepEqual(await shown(), { roster_nats_connected: 1, roster_nats_disconnects_total: 0 });
  nats.kill('SIGKILL');
  await eventually(async () => (await shown())['roster_nats_connected'] === 0);
  await nats.restart();
  await eventually(async () => (await shown())['roster_nats_connected'] === 1);
  t.is((await shown())['roster_nats_disconnects_total'], 1);
});

test('readiness metrics show the process and each dependency', async (t) => {
  const readiness = { status: 'unavailable', checks: { nats: true, postgres: false } };
  const shown = figuresOf((registry) => observeReadiness(registry, async () => readiness));
  t.deepEqual(await shown(), {
    roster_ready: 0,
    'roster_readiness_check{check="nats"}': 1,
    'roster_readiness_check{check="postgres"}': 0,
  });
  readiness.status = 'ok';
  t.is((await shown())['roster_ready'], 1);
});

test('gauges of one read are from the same scrape, and are read once', async (t) => {
  let reads = 0;
  const shown = figuresOf((registry) =>
    observeTogether(
      registry,
      async () => {
        reads += 1;
        await new Promise(setImmediate);
        if (reads === 2) throw new Error('away');
        return { first: reads, second: 10 * reads };
      },
      { first: ['first', 'One.'], second: ['second', 'Another.'] },
    ),
  );
  t.deepEqual(await shown(), { first: 1, second: 10 });
  t.deepEqual(await shown(), { first: Number.NaN, second: Number.NaN });
  t.deepEqual(await shown(), { first: 3, second: 30 });
  t.is(reads, 3);
});

test('the delay of the event loop is sampled ten times per second, so that an idle process rarely wakes up', async (t) => {
  const shown = figuresOf(() => {}, openMetrics('test'));
  const least = await eventually(async () => {
    // A scrape begins anew: there is no sample before the next interval ends.
    await delay(250);
    const seconds = (await shown())['nodejs_eventloop_lag_min_seconds{service="test"}']!;
    // Without a sample, it is the greatest number.
    return seconds < 1000 && seconds;
  });
  t.true(least > 0.09, `${least}`);
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
