import { readFile } from 'node:fs/promises';

import type { FileTimes } from './record-times.js';

const shown = 10;

/** The test files that took longest, a line each, from the file to which the processes appended their times. */
export async function slowestFiles(recorded: string): Promise<string[]> {
  const text = await readFile(recorded, 'utf8').catch(() => '');
  const times = text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as FileTimes);
  return times
    .toSorted((a, b) => b.wallSeconds - a.wallSeconds)
    .slice(0, shown)
    .map(
      ({ file, wallSeconds, processorSeconds }) =>
        `${inSeconds(wallSeconds)} ${inSeconds(processorSeconds)}  ${file}`,
    );
}

const inSeconds = (seconds: number): string => `${seconds.toFixed(1)} s`.padStart(9);
