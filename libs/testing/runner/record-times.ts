import { appendFileSync } from 'node:fs';

import test from 'ava';

import { processStat } from '../process-stat.js';

/** What the process of a test file used, with the processes that it started and waited for. */
export interface FileTimes {
  file: string;
  wallSeconds: number;
  processorSeconds: number;
}

/** AVA calls it in the process of each test file. The process appends a line to a file as it exits. */
// oxlint-disable-next-line import/no-default-export -- AVA takes it as the default.
export default function recordTimes(to: string): void {
  const startedAt = performance.now();
  process.once('exit', () => {
    const stat = processStat(process.pid);
    const times: FileTimes = {
      file: test.meta.file,
      wallSeconds: (performance.now() - startedAt) / 1000,
      processorSeconds: stat ? stat.processorSeconds + stat.endedChildrenSeconds : 0,
    };
    appendFileSync(to, `${JSON.stringify(times)}\n`);
  });
}
