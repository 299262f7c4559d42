import { setTimeout as delay } from 'node:timers/promises';
import { connectBus } from '@roster/bus';
import { eventually, throwawayNats } from '@roster/testing';
import test from 'ava';
import { Counter, Histogram, Registry } from 'prom-client';
import { openLog } from '../log.js';
import { countByOperation, histogramByOperation } from '../operation-metrics.js';
import { observeLink, observeReadiness, observeTogether, openMetrics } from '../metrics.js';

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

test('calls that are counted by operation are shown as prom-client shows its own', async (t) => {
  const help = 'Calls.';
  const buckets = [0.5, 1, 2];
  const own = new Registry();
  const count = countByOperation(own, { name: 'calls_total', help, label: 'outcome' });
  const observe = histogramByOperation(own, { name: 'seconds', help, buckets });
  const library = new Registry();
  const registers = [library];
  const labelNames = ['operation', 'outcome'];
  const counter = new Counter({ name: 'calls_total', help, labelNames, registers });
  const histogram = new Histogram({ name: 'seconds', help, labelNames, buckets, registers });
  for (const [operation, outcome, seconds, times] of [
    ['things.get', 'ok', 0.25, 3],
    ['things.get', 'not_found', 2, 1],
    ['things.list', 'ok', 0.5, 2],
    ['things.list', 'ok', 16, 1],
  ] as const) {
    count(operation, outcome, times);
    counter.inc({ operation, outcome }, times);
    observe(operation, seconds, times);
    for (let call = 0; call < times; call += 1) histogram.observe({ operation }, seconds);
  }
  t.is(await own.metrics(), await library.metrics());
  t.is(await own.metrics(), await library.metrics());
});
