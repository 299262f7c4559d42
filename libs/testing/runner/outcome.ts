import { stripVTControlCharacters } from 'node:util';

export interface Outcome {
  passed: number;
  failed: number;
  skipped: number;
}

/** Reads the report of ava's default reporter. A run that broke off counts as one failure at least. */
export function outcomeOf(report: string, exitCode: number): Outcome {
  const text = stripVTControlCharacters(report);
  const failed = countOf(
    text,
    /^ *(\d+) (?:(?:tests?|hooks?) failed|uncaught exceptions?|unhandled rejections?|tests? remained pending)/gm,
  );
  return {
    // The report leaves the number of passed tests out when some failed: count the ticks.
    passed: text.match(/^ *✔ (?!\[expected fail\])/gm)?.length ?? 0,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: countOf(text, /^ *(\d+) tests? (?:skipped|todo)/gm),
  };
}

export function describeOutcome({ passed, failed, skipped }: Outcome): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function countOf(text: string, pattern: RegExp): number {
  return [...text.matchAll(pattern)].reduce((sum, [, count]) => sum + Number(count), 0);
}
