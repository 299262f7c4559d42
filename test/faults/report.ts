import type { Reconciliation } from './reconcile.js';

const shownMax = 10;

export const hasFailed = ({ findings }: Reconciliation): boolean =>
  findings.some(({ violations }) => violations.length > 0);

/** The figures as a table, the promises with their violations, and the verdict. */
export function report({ findings, figures }: Reconciliation): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const table = Object.entries(figures).map(
    ([name, value]) => `  ${name.padEnd(width)}  ${String(value).padStart(10)}`,
  );
  const verdicts = findings.flatMap(({ promise, violations }) => [
    `${violations.length === 0 ? '✔' : '✘'} ${promise}${violations.length === 0 ? '' : `: ${violations.length} violations`}`,
    ...violations.slice(0, shownMax).map((what) => `    ${what}`),
  ]);
  const failed = findings.filter(({ violations }) => violations.length > 0).length;
  return [...table, ...verdicts, `${findings.length - failed} passed, ${failed} failed`].join('\n');
}
