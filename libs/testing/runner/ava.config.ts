import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import type { Event, ObservedRun } from 'ava/internal';

import { weightOf, wholeMachine } from './weight-of.js';

/** AVA's totals of a run that determine its outcome. */
export type RunTotals = Omit<Extract<Event, { type: 'stats' }>['stats'], 'byFile' | 'parallelRuns'>;

/**
 * The tests that AVA runs and their settings. Used by `npm test`, which receives the totals of the run whenever they
 * change.
 */
// oxlint-disable-next-line import/no-default-export -- AVA takes it as the default.
export default {
  files: ['**/dist/test/**/*.test.js', 'test/dist/**/*.test.js'],
  timeout: '2m',
  workerThreads: false,
  // Processes. Of these, as many run as have a turn.
  concurrency: 8,
  // A process reads a thousand modules and ends soon: most of its collections of garbage are spared.
  nodeArguments: ['--min-semi-space-size=16'],
  sortTestFiles: spread,
  require: [[fileURLToPath(new URL('run-group.js', import.meta.url)), process.env.ROSTER_TEST_RUN]],
  // AVA's own events instead of its TAP reporter, which aborts the run when a test times out (8.0.1).
  nonSemVerExperiments: { observeRunsFromConfig: true },
  async observeRun({ events }: ObservedRun): Promise<void> {
    for await (const event of events) {
      if (event.type !== 'stats') continue;
      const { byFile: _, parallelRuns: __, ...totals } = event.stats;
      process.send?.(totals satisfies RunTotals);
    }
  },
};

/**
 * Files that occupy the whole machine are spread over the run. The others follow in an arbitrary order that is the same in
 * every run, so that those that wait and those that compute mix; at the end are neither heavy ones nor those that wait, because they would run alone.
 */
function spread(a: string, b: string): number {
  return positionOf(a) - positionOf(b) || a.localeCompare(b);
}

/** From 0 to 1. */
function positionOf(file: string): number {
  const index = wholeMachine.findIndex((ending) => file.endsWith(ending));
  if (index >= 0) return index / wholeMachine.length;
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  const hash =
    createHash('sha256').update(file.slice(root.length)).digest().readUInt32BE() / 2 ** 32;
  return weightOf(file) === 1 ? hash : hash * 0.85;
}
