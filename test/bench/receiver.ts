import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export type Behaviour = 'accept' | 'fail' | 'hang';
export type Order =
  | { type: 'listen'; behaviours: readonly Behaviour[] }
  | { type: 'note'; noting: boolean };
export type Report =
  | { type: 'listening'; ports: number[] }
  | { type: 'accepted'; accepted: number; connections: number }
  | { type: 'arrivals'; arrivals: [contactId: string, atMs: number][] };

/** The process of the receiver, as seen by the benchmark. */
export class Receiver {
  /** Accepted deliveries so far; at most 20 ms out of date. */
  accepted = 0;
  connections = 0;
  readonly #child: ChildProcess;
  #hear: (report: Report) => void = () => undefined;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./receiver-process.js', import.meta.url)), [], {
      execArgv: [],
    });
    this.#child.on('message', (report: Report) => {
      if (report.type === 'accepted')
        ({ accepted: this.accepted, connections: this.connections } = report);
      else this.#hear(report);
    });
  }

  get pid(): number {
    return this.#child.pid!;
  }

  /** One address for each behaviour. */
  async listen(behaviours: readonly Behaviour[]): Promise<string[]> {
    const report = await this.#send({ type: 'listen', behaviours });
    if (report.type !== 'listening') throw new Error(`the receiver answered ${report.type}`);
    return report.ports.map((port) => `http://127.0.0.1:${port}/hook`);
  }

  /** Starts or stops recording; returns the records so far. */
  async note(noting: boolean): Promise<[contactId: string, atMs: number][]> {
    const report = await this.#send({ type: 'note', noting });
    if (report.type !== 'arrivals') throw new Error(`the receiver answered ${report.type}`);
    return report.arrivals;
  }

  async stop(): Promise<void> {
    // Ctrl-C has ended it.
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill();
    await exited;
  }

  #send(order: Order): Promise<Report> {
    return new Promise((resolve) => {
      this.#hear = resolve;
      this.#child.send(order);
    });
  }
}
