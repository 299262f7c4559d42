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
  /** Clients are spread over them in turn. */
  ports: readonly number[];
  shape: Shape;
  warmSeconds: number;
  seconds: number;
  /** The same for the same requests. */
  seed: number;
  /** Where what must not be asked twice continues. */
  sequence: number;
}

export type LoadReport =
  | { type: 'began' }
  | { type: 'ended' }
  | { type: 'done'; outcome: Outcome }
  | { type: 'failed'; message: string };

/** The load's process, from outside. */
export class Generator {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./generator-process.js', import.meta.url)), [], {
      execArgv: [],
    });
    letGoFirst(this.pid);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** @param onSpan called when the measured time begins, and when it ends */
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
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }
}

/** Clients have processors of their own: load that waits for those that are measured would be measured too. */
function letGoFirst(pid: number): void {
  try {
    setPriority(pid, -10);
  } catch {
    // Only an administrator may. Without it the load is late now and then, which the report tells.
  }
}
