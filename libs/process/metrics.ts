import { setTimeout as delay } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { totalmem } from 'node:os';
import type { BusObserver, Link } from '@roster/bus';
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { countByOperation, histogramByOperation } from './operation-metrics.js';

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/**
 * How often the delay of the event loop is sampled. Each sample is this interval and the delay. An idle process would otherwise wake
 * up a hundred times per second for it.
 */
const eventLoopMonitoringPrecision = 100;

/** A registry with the default metrics of Node, including event-loop lag. */
export function openMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision });
  observeLimits(registry);
  return registry;
}

/** Limits of the process, to compare with its usage. */
function observeLimits(registry: Registry): void {
  new Gauge({
    name: 'roster_memory_limit_bytes',
    help: 'Memory limit of the container; 0 if unlimited.',
    registers: [registry],
    collect() {
      const limit = process.constrainedMemory();
      // Without a limit it is 0 or close to 2^64.
      this.set(limit < totalmem() ? limit : 0);
    },
  });
  new Gauge({
    name: 'roster_heap_limit_bytes',
    help: 'Heap limit of V8.',
    registers: [registry],
    collect() {
      this.set(getHeapStatistics().heap_size_limit);
    },
  });
}

/** Whether the process is ready, and which of its dependencies are reachable. */
export function observeReadiness(
  registry: Registry,
  readiness: () => Promise<{ status: string; checks: Record<string, boolean> }>,
): void {
  const read = oneAtATime(readiness);
  new Gauge({
    name: 'roster_ready',
    help: 'Whether the process is ready (1 or 0), as /readyz answers.',
    registers: [registry],
    async collect() {
      this.set(Number((await read()).status === 'ok'));
    },
  });
  new Gauge({
    name: 'roster_readiness_check',
    help: 'Whether a dependency is reachable (1 or 0), by name.',
    labelNames: ['check'],
    registers: [registry],
    async collect() {
      const { checks } = await read();
      for (const [check, ok] of Object.entries(checks)) this.set({ check }, Number(ok));
    },
  });
}

/** Metrics of the connection to NATS. */
export function observeLink(registry: Registry, link: Pick<Link, 'up' | 'onChange'>): void {
  new Gauge({
    name: 'roster_nats_connected',
    help: 'Whether the process is connected to NATS (1 or 0).',
    registers: [registry],
    collect() {
      this.set(Number(link.up));
    },
  });
  const lost = new Counter({
    name: 'roster_nats_disconnects_total',
    help: 'Number of lost NATS connections.',
    registers: [registry],
  });
  link.onChange((up) => up || lost.inc());
}

/** State of a pool of PostgreSQL connections. */
export interface PoolUse {
  max: number;
  used: number;
  idle: number;
  /** Statements and transactions waiting for a connection. */
  waiting: number;
}

/** Metrics of the pool of PostgreSQL connections. */
export function observePool(registry: Registry, use: () => Promise<PoolUse>): void {
  observeTogether(registry, use, {
    max: ['roster_database_pool_max', 'Maximum number of PostgreSQL connections in the pool.'],
    used: ['roster_database_pool_used', 'PostgreSQL connections in use.'],
    idle: ['roster_database_pool_idle', 'Idle PostgreSQL connections.'],
    waiting: [
      'roster_database_pool_waiting',
      'Statements and transactions waiting for a PostgreSQL connection.',
    ],
  });
}

/** A scrape times out after ten seconds, with all metrics of the process. */
const answerMs = 1500;

/**
 * Gauges whose values come from one read per scrape. They are NaN if it fails or takes longer than 1.5 s.
 *
 * @param gauges name and help text of each value
 */
export function observeTogether<Figures extends { [Key in keyof Figures]: number }>(
  registry: Registry,
  read: () => Promise<Figures>,
  gauges: Record<keyof Figures, readonly [name: string, help: string]>,
): void {
  const readOnce = oneAtATime(() => read().catch(() => undefined));
  for (const [figure, [name, help]] of Object.entries(gauges) as [
    keyof Figures,
    readonly [string, string],
  ][]) {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        // While a read hangs, no other is started.
        const figures = await Promise.race([readOnce(), delay(answerMs)]);
        this.set(figures?.[figure] ?? Number.NaN);
      },
    });
  }
}

/** A scrape collects all metrics concurrently: a gauge that is set in the `collect` of another one shows the previous value. */
function oneAtATime<T>(read: () => Promise<T>): () => Promise<T> {
  let pending: Promise<T> | undefined;
  return () => (pending ??= read().finally(() => (pending = undefined)));
}

/** Rate, errors and duration of each operation served by this process, and batch sizes. */
export function observeBus(registry: Registry): BusObserver {
  const served = countByOperation(registry, {
    name: 'roster_operation_calls_total',
    help: 'Calls answered, by operation and outcome (ok or a fault code).',
    label: 'outcome',
  });
  const duration = histogramByOperation(registry, {
    name: 'roster_operation_duration_seconds',
    help: 'Time from receiving a batch to answering it.',
    buckets: secondsBuckets,
  });
  const received = histogramByOperation(registry, {
    name: 'roster_batch_received_calls',
    help: 'Calls per received batch.',
    buckets: batchBuckets,
  });
  const sent = histogramByOperation(registry, {
    name: 'roster_batch_sent_calls',
    help: 'Calls per sent batch.',
    buckets: batchBuckets,
  });
  const repeated = new Counter({
    name: 'roster_calls_repeated_total',
    help: 'Calls requeued because no process serves their operation, counted once per attempt.',
    labelNames: ['operation'],
    registers: [registry],
  });
  const dropped = new Counter({
    name: 'roster_calls_dropped_total',
    help: 'Calls dropped before they were sent, because the client of their request closed the connection.',
    labelNames: ['operation'],
    registers: [registry],
  });
  return {
    callDropped: (operation) => dropped.inc({ operation }),
    batchReturned: (operation, calls) => repeated.inc({ operation }, calls),
    batchSent: sent,
    batchReceived: received,
    callsServed(operation, outcome, seconds, calls) {
      served(operation, outcome, calls);
      duration(operation, seconds, calls);
    },
  };
}

/** Durations of statements, by name. */
export function observeStatements(
  registry: Registry,
): (statement: string, seconds: number) => void {
  const statements = new Histogram({
    name: 'roster_statement_duration_seconds',
    help: 'Duration of PostgreSQL statements, by name.',
    labelNames: ['statement'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  return (statement, seconds) => statements.observe({ statement }, seconds);
}
