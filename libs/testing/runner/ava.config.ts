import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';

import type { Event, ObservedRun } from 'ava/internal';

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
  // Four overload two cores: attempts and requests of whole systems then time out.
  concurrency: 2,
  sortTestFiles: spread,
  require: process.env.ROSTER_TEST_TIMES
    ? [[fileURLToPath(new URL('record-times.js', import.meta.url)), process.env.ROSTER_TEST_TIMES]]
    : [],
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
 * Files that occupy the whole machine for minutes are spread over the run: two of them at once would time out. The others follow in
 * an arbitrary order that is the same in every run, so that long and short ones, and those that wait and those that compute, mix.
 */
function spread(a: string, b: string): number {
  return positionOf(a) - positionOf(b) || a.localeCompare(b);
}

/** From 0 to 1. */
function positionOf(file: string): number {
  const whole = [
    '/image/dist/test/image.test.js',
    '/faults/short.test.js',
    '/cluster/short.test.js',
    '/neighbours/neighbours.test.js',
    '/model/model.test.js',
  ];
  const index = whole.findIndex((ending) => file.endsWith(ending));
  if (index >= 0) return index / whole.length;
  const root = fileURLToPath(new URL('../../../../', import.meta.url));
  return createHash('sha256').update(file.slice(root.length)).digest().readUInt32BE() / 2 ** 32;
}
