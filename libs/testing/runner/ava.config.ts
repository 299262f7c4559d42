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
  concurrency: 2,
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
