import type { RunTotals } from './ava.config.js';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/** How a run ended. One that broke off, or failed otherwise than by a test, counts as one failure at least. */
export function outcomeOf(totals: RunTotals | undefined, exitCode: number): Outcome {
  const failed = totals ? failuresOf(totals) : 0;
  return {
    passed: totals?.passedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: totals ? totals.skippedTests + totals.todoTests : 0,
  };
}

/** A test that was selected and did not end counts, whatever kept it from it: a timeout, a hook or the end of its process. */
const failuresOf = (totals: RunTotals): number =>
  totals.failedTests +
  totals.remainingTests +
  totals.failedHooks +
  totals.uncaughtExceptions +
  totals.unhandledRejections +
  totals.internalErrors +
  totals.sharedWorkerErrors;

export function describeOutcome({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}
