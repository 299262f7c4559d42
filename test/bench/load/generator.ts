import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { DataSet } from '../data/data-set.js';
import type { Shape } from './load.js';
import type { Outcome } from './tally.js';

export interface LoadOrder {
  job: string;
  dataSet: DataSet;
  /** Clients are distributed over these ports in turn. */
  ports: readonly number[];
  shape: Shape;
  warmSeconds: number;
  seconds: number;
  /** The same seed results in the same requests. */
  seed: number;
  /** The first number of this measurement, for values that must not repeat. */
  sequence: number;
}

export type LoadReport =
  | { type: 'began' }
  | { type: 'ended' }
  | { type: 'done'; outcome: Outcome }
  | { type: 'failed'; message: string };

/** The process of the load generator, as seen by the benchmark. */
export class Generator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./generator-process.js', import.meta.url)), [], {
      execArgv: [],
    });
    raisePriority(this.pid);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @param onSpan called at the start and at the end of the measured time */
  run(order: LoadOrder, onSpan: (phase: 'began' | 'ended') => void): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const child = this.#child;
      const hear = (report: LoadReport) => {
        if (report.type === 'began' || report.type === 'ended') return onSpan(report.type);
        settle();
        if (report.type === 'done') resolve(report.outcome);
        else reject(new Error(`the load failed: ${report.message}`));
      };
      const die = () => {
        settle();
        reject(new Error('the load generator ended'));
      };
      const settle = () => child.off('message', hear).off('exit', die);
      child.on('message', hear).once('exit', die);
      child.send(order);
    });
  }

  async stop(): Promise<void> {
    // Ctrl-C has ended it.
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}

/** The generator has a higher priority: delays of the load generator would be measured as latency. */
function raisePriority(pid: number): void {
  try {
    setPriority(pid, -10);
  } catch {
    // Requires privileges. Otherwise the load may be late, which the report states.
  }
}
