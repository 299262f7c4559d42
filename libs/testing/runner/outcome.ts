import type { RunTotals } from './ava.config.js';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/**
 * How a run ended. A run that was aborted, or failed for another reason than a test, counts as at least one failure.
 */
export function outcomeOf(totals: RunTotals | undefined, exitCode: number): Outcome {
  const failed = totals ? failuresOf(totals) : 0;
  return {
    passed: totals?.passedTests ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: totals ? totals.skippedTests + totals.todoTests : 0,
  };
}

/**
 * A selected test that did not finish counts as failed, whether because of a timeout, a hook or the exit of its
 * process.
 */
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
