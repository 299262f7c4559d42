import type { Failure, PhaseSummary } from '../pods/load-phase.js';

/** Outcomes that mean that the request was not executed, or that this is unknown: callers retry it. */
const repeatable =
  /^(503|504|200 unavailable|200 timeout|E[A-Z_]+|socket hang up|no response in time|aborted)$/;

/** Violations of a minimum number of requests in a phase. */
export type JudgePhase = (summary: PhaseSummary, requestsMin: number) => string[];

/** Violations in a phase in which no request may fail. */
export function undisturbedViolations(summary: PhaseSummary, requestsMin: number): string[] {
  return [
    ...tooFew(summary, requestsMin),
    ...unsent(summary),
    ...summary.failures.map(describe),
    ...unresolved(summary),
  ];
}

/** Violations in a phase in which requests may fail with errors that callers retry. */
export function failureViolations(summary: PhaseSummary, requestsMin: number): string[] {
  const wrong = summary.failures.filter(({ outcome }) => !repeatable.test(outcome));
  return [...tooFew(summary, requestsMin), ...wrong.map(describe), ...unresolved(summary)];
}

export function describePhase({
  requests,
  unsent,
  failures,
  p99Ms,
  slowestMs,
  seconds,
}: PhaseSummary): string {
  const failed = failures.length === 0 ? 'none failed' : `${failures.length} failed at first`;
  const held = unsent === 0 ? '' : `, ${unsent} not sent`;
  return `${requests} requests in ${seconds} s${held}, ${failed}, p99 ${p99Ms} ms, slowest ${slowestMs} ms`;
}

/** The number of each outcome of each operation. */
export function countFailures(failures: readonly Failure[]): string[] {
  const counts = new Map<string, number>();
  for (const { operation, connection, outcome } of failures) {
    const key = `${operation} over a ${connection} connection: ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${count} × ${key}`);
}

/** A phase without load proves nothing. */
const tooFew = ({ requests }: PhaseSummary, requestsMin: number): string[] =>
  requests < requestsMin ? [`only ${requests} requests were sent, not ${requestsMin}`] : [];

/** Requests that were not sent would have failed. */
const unsent = ({ unsent }: PhaseSummary): string[] =>
  unsent > 0 ? [`${unsent} requests were not sent: too many had no answer yet`] : [];

const unresolved = ({ unresolved }: PhaseSummary): string[] =>
  unresolved > 0 ? [`${unresolved} requests failed in spite of all retries`] : [];

const describe = ({ at, operation, connection, outcome, ms }: Failure): string =>
  `${at} ${operation} over a ${connection} connection: ${outcome} after ${ms} ms`;
