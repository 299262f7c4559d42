import { processStat } from '@roster/testing';
import { partNames, processesOf } from '../system/processes.js';
import { machineSeconds, residentMib } from './compare/process-usage.js';

/** Measures the CPU time of each process and the memory of the dispatcher until it is stopped. */
export class Usage {
  readonly #pids: () => Map<string, number[]>;
  readonly #before: Map<string, number>;
  readonly #startedAt = performance.now();
  readonly #dispatcher: number;
  readonly #timer: NodeJS.Timeout;
  readonly #machineBefore = machineSeconds().spent;
  #rssMibMax = 0;

  constructor(home: string, receiverPid: number) {
    // Evaluated for each sample, because processes of PostgreSQL start and exit.
    this.#pids = () =>
      new Map<string, number[]>(partNames.map((part) => [part, processesOf(home, part)]))
        .set('receiver', [receiverPid])
        .set('load', [process.pid]);
    this.#dispatcher = this.#pids().get('dispatcher')![0]!;
    this.#before = this.#seconds();
    this.#timer = setInterval(() => this.#look(), 200);
  }

  /** Busy cores by component, and the peak memory of the dispatcher. */
  stop(): { cores: Record<string, number>; dispatcherMibMax: number } {
    clearInterval(this.#timer);
    this.#look();
    const elapsed = (performance.now() - this.#startedAt) / 1000;
    const after = this.#seconds();
    const spent = [...after].map(([part, seconds]) => [part, seconds - this.#before.get(part)!]);
    const own = spent.reduce((sum, [, seconds]) => sum + Number(seconds), 0);
    // Other processes on the machine make the figures worse.
    spent.push(['others', machineSeconds().spent - this.#machineBefore - own]);
    const cores = spent.map(([part, seconds]) => [
      part,
      Math.round((Number(seconds) / elapsed) * 100) / 100,
    ]);
    return {
      cores: Object.fromEntries(cores) as Record<string, number>,
      dispatcherMibMax: Math.round(this.#rssMibMax),
    };
  }

  #seconds(): Map<string, number> {
    return new Map([...this.#pids()].map(([part, pids]) => [part, processorSecondsOf(part, pids)]));
  }

  #look(): void {
    this.#rssMibMax = Math.max(this.#rssMibMax, residentMib(this.#dispatcher));
  }
}

/** CPU seconds that the processes of a component have used since their start. */
export function processorSecondsOf(part: string, pids: readonly number[]): number {
  return pids.reduce((sum, pid) => {
    const { processorSeconds = 0, endedChildrenSeconds = 0 } = processStat(pid) ?? {};
    // The time of exited processes of PostgreSQL is added to that of their parent.
    return sum + processorSeconds + (part === 'postgres' ? endedChildrenSeconds : 0);
  }, 0);
}
