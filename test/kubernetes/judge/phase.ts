import type { Failure, PhaseSummary } from '../pods/load-phase.js';

/** Outcomes that say that nothing was done, or that nobody knows: a caller repeats the request. */
const repeatable =
  /^(503|504|200 unavailable|200 timeout|E[A-Z_]+|socket hang up|no answer in time|aborted)$/;

/** What speaks against a phase that is to have sent so many requests at least. */
export type JudgePhase = (summary: PhaseSummary, requestsMin: number) => string[];

/** What speaks against a phase in which nothing was to be noticed. */
export function unlikeUndisturbed(summary: PhaseSummary, requestsMin: number): string[] {
  return [
    ...tooFew(summary, requestsMin),
    ...unsent(summary),
    ...summary.failures.map(describe),
    ...unresolved(summary),
  ];
}

/** What speaks against a phase in which requests could fail, but so that callers know to repeat them. */
export function unlikeInterrupted(summary: PhaseSummary, requestsMin: number): string[] {
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

/** How often each operation had each outcome. */
export function countFailures(failures: readonly Failure[]): string[] {
  const counts = new Map<string, number>();
  for (const { operation, connection, outcome } of failures) {
    const key = `${operation} over a ${connection} connection: ${outcome}`;
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => `${count} × ${key}`);
}

/** No load proves nothing. */
const tooFew = ({ requests }: PhaseSummary, requestsMin: number): string[] =>
  requests < requestsMin ? [`only ${requests} requests were sent, not ${requestsMin}`] : [];

/** Whatever holds up so many requests fails those that would have come next. */
const unsent = ({ unsent }: PhaseSummary): string[] =>
  unsent > 0 ? [`${unsent} requests were not sent: too many had no answer yet`] : [];

const unresolved = ({ unresolved }: PhaseSummary): string[] =>
  unresolved > 0 ? [`${unresolved} requests failed however often they were repeated`] : [];

const describe = ({ at, operation, connection, outcome, ms }: Failure): string =>
  `${at} ${operation} over a ${connection} connection: ${outcome} after ${ms} ms`;
