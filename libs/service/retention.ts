import { Gauge, type Registry } from 'prom-client';
import type { Log } from './log.js';

export interface RetentionTask {
  /** A fixed name. */
  task: string;
  everyMs: number;
  /** Removes what is past its time. Any process of the service may do it for all, also two at once. */
  run(): Promise<unknown>;
}

/** How soon after its start a process does it first. */
const firstWithinMs = 5000;

/**
 * Runs a retention task soon after the start, for a process may end before the interval does; then at every interval, never
 * twice at once. The first time is random: replicas often start together.
 *
 * @returns stops it; a run in flight goes on
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
 * Lets the metrics tell when a task that removes what is past its time last succeeded. Any process of the service may do it
 * for all: what counts is the latest of them.
 *
 * @param task a fixed name
 * @param everyMs how often the task runs
 * @returns runs the task once, and notes its success
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

/** A process has several tasks, and the registry one metric of a name. */
const gauge = (registry: Registry, name: string, help: string): Gauge<'task'> =>
  (registry.getSingleMetric(name) as Gauge<'task'> | undefined) ??
  new Gauge({ name, help, labelNames: ['task'], registers: [registry] });
