import type { BusObserver } from '@roster/bus';
import { collectDefaultMetrics, Counter, Histogram, Registry } from 'prom-client';

const secondsBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];
const batchBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** Node's own metrics, event-loop lag among them, and a registry for the process' others. */
export function openMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** Rate, errors and duration of every operation served here, and the sizes of its batches. */
export function observeBus(registry: Registry): BusObserver {
  const served = new Counter({
    name: 'roster_operation_calls_total',
    help: 'Calls answered, by operation and outcome (ok or a fault code).',
    labelNames: ['operation', 'outcome'],
    registers: [registry],
  });
  const duration = new Histogram({
    name: 'roster_operation_duration_seconds',
    help: 'From the arrival of a batch to its answer.',
    labelNames: ['operation'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  const received = batchHistogram(
    'roster_batch_received_calls',
    'Calls in a batch that arrived.',
    registry,
  );
  const sent = batchHistogram(
    'roster_batch_sent_calls',
    'Calls in a batch that was sent.',
    registry,
  );
  return {
    batchSent: (operation, calls) => sent.observe({ operation }, calls),
    batchReceived: (operation, calls) => received.observe({ operation }, calls),
    callServed(operation, outcome, seconds) {
      served.inc({ operation, outcome });
      duration.observe({ operation }, seconds);
    },
  };
}

/** Statements sent to PostgreSQL and how long they took, by name. */
export function observeStatements(
  registry: Registry,
): (statement: string, seconds: number) => void {
  const statements = new Histogram({
    name: 'roster_statement_duration_seconds',
    help: 'Statements sent to PostgreSQL, by name.',
    labelNames: ['statement'],
    buckets: secondsBuckets,
    registers: [registry],
  });
  return (statement, seconds) => statements.observe({ statement }, seconds);
}

const batchHistogram = (name: string, help: string, registry: Registry) =>
  new Histogram({
    name,
    help,
    labelNames: ['operation'],
    buckets: batchBuckets,
    registers: [registry],
  });
