import { Gauge, type Registry } from 'prom-client';
import type { Log } from '@roster/process';
import type { Session, Statement } from './database.js';

export interface RetentionTask {
  /** Name from a fixed set. */
  task: string;
  everyMs: number;
  /** Deletes what has expired, or announces what expires. Any process of the service may do it for all of them, also concurrently. */
  run(): Promise<unknown>;
}

/** Maximum delay of the first run after the start. */
const firstWithinMs = 5000;

/**
 * Runs a retention task soon after the start, because a process may stop before the interval ends, and then at every
 * interval, never concurrently. The first run has a random delay, because replicas often start together.
 *
 * @returns a function that stops it; a running task continues
 */
export function startRetention(
  { metrics, log }: { metrics: Registry; log: Log },
  { task, everyMs, run }: RetentionTask,
): () => void {
  const observed = observeRetention(metrics, task, everyMs);
  let busy = false;
  const runOnce = async () => {
    if (busy) return;
    busy = true;
    try {
      await observed(run);
    } catch (error) {
      log.warn({ err: error, task }, 'retention task failed');
    } finally {
      busy = false;
    }
  };
  let interval: NodeJS.Timeout | undefined;
  const first = setTimeout(() => {
    interval = setInterval(() => void runOnce(), everyMs);
    void runOnce();
  }, Math.random() * firstWithinMs);
  return () => {
    clearTimeout(first);
    clearInterval(interval);
  };
}

/**
 * Records in metrics when a retention task last succeeded. Any process of the service may run it for all of them: the latest
 * time counts.
 *
 * @param task name from a fixed set
 * @param everyMs interval of the task
 * @returns a function that runs the task once and records its success
 */
export function observeRetention(
  registry: Registry,
  task: string,
  everyMs: number,
): <T>(run: () => Promise<T>) => Promise<T> {
  const done = gauge(
    registry,
    'roster_retention_last_success_timestamp_seconds',
    'Unix time of the last successful run of a retention task, by task; initially, the start time of the process.',
  );
  done.set({ task }, Math.round(Date.now() / 1000 - process.uptime()));
  gauge(
    registry,
    'roster_retention_interval_seconds',
    'Interval of a retention task, by task.',
  ).set({ task }, everyMs / 1000);
  return async (run) => {
    const result = await run();
    done.set({ task }, Math.round(Date.now() / 1000));
    return result;
  };
}

/** A process has several tasks, but one metric of each name. */
const gauge = (registry: Registry, name: string, help: string): Gauge<'task'> =>
  (registry.getSingleMetric(name) as Gauge<'task'> | undefined) ??
  new Gauge({ name, help, labelNames: ['task'], registers: [registry] });

/** Rows that one statement deletes: a fraction of a second of work. */
const rowsMax = 10_000;

/**
 * Deletes rows that have expired in portions, each in a transaction of its own: no row is locked for long, and an interrupted run
 * keeps what it has done.
 *
 * @param statement deletes at most as many rows as its last parameter says, and returns one for each
 * @param values parameters but the last
 */
export async function deleteInPortions(
  session: Session,
  statement: Statement,
  values: readonly unknown[],
): Promise<void> {
  let rows: unknown[];
  do rows = await session.query(statement, [...values, rowsMax]);
  while (rows.length === rowsMax);
}
