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
  sortTestFiles: longestFirst,
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

/** Files that start whole systems and images come first: the last ones to run would leave a processor idle. */
function longestFirst(a: string, b: string): number {
  return rankOf(a) - rankOf(b) || a.localeCompare(b);
}

function rankOf(file: string): number {
  const longest = ['/deploy/image/', '/test/dist/', '/deploy/', '/libs/storage/'];
  const rank = longest.findIndex((part) => file.includes(part));
  return rank === -1 ? longest.length : rank;
}
