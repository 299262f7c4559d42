import { appendFileSync } from 'node:fs';

import { processStat } from '../process-stat.js';

/** What a test file used, with the processes that it started and waited for. */
export interface FileTimes {
  /** The path of its source, relative to the root. */
  file: string;
  wallSeconds: number;
  /** That of the first file of a process includes the start of the process. */
  processorSeconds: number;
}

/**
 * Appends a line to a file when a test file of this process ends. The returned function tells which one runs from now on. The last one
 * ends with the process.
 */
export function recordTimes(to: string): (source: string) => void {
  let end = (): void => {};
  process.once('exit', () => end());
  let isFirst = true;
  return (source) => {
    end();
    const from = performance.now();
    const before = isFirst ? 0 : usedSeconds();
    isFirst = false;
    end = () => {
      const times: FileTimes = {
        file: source,
        wallSeconds: (performance.now() - from) / 1000,
        processorSeconds: usedSeconds() - before,
      };
      appendFileSync(to, `${JSON.stringify(times)}\n`);
    };
  };
}

function usedSeconds(): number {
  const stat = processStat(process.pid);
  return stat ? stat.processorSeconds + stat.endedChildrenSeconds : 0;
}
