import { join } from 'node:path';

import { KeptPart } from './kept-part.js';
import { LogFile } from './log-file.js';
import type { Part } from './part.js';

export interface SupervisorOptions {
  logDir: string;
  print: (text: string) => void;
  readyTimeoutMs: number;
  stopTimeoutMs?: number;
}

const logCheckMs = 2_000;

/** Keeps groups of processes running, and stops them in the reverse of the order in which they were started. */
export class Supervisor {
  readonly #options: Required<SupervisorOptions>;
  readonly #groups: KeptPart[][] = [];
  readonly #logs: LogFile[] = [];
  readonly #logCheck: NodeJS.Timeout;
  #stopped = false;

  constructor(options: SupervisorOptions) {
    this.#options = { stopTimeoutMs: 4_500, ...options };
    this.#logCheck = setInterval(() => this.#logs.forEach((log) => log.bound()), logCheckMs);
  }

  /** Starts a group together. Resolves when all processes are ready; rejects when one fails to start. */
  async start(parts: Part[]): Promise<void> {
    const { logDir, print, readyTimeoutMs } = this.#options;
    if (this.#stopped) throw new Error('Cannot start a process during shutdown.');
    const group = parts.map((part) => {
      const log = new LogFile(join(logDir, `${part.name}.log`));
      this.#logs.push(log);
      return new KeptPart(part, { log, print, readyTimeoutMs });
    });
    this.#groups.push(group);
    await Promise.all(group.map((part) => part.ready));
  }

  /** Stops everything. Each group gets its share of the time, plus the time that earlier groups did not use. */
  async stop(): Promise<void> {
    this.#stopped = true;
    const groups = this.#groups.splice(0).toReversed();
    const startedAt = performance.now();
    for (const [index, group] of groups.entries()) {
      const deadline = startedAt + (this.#options.stopTimeoutMs * (index + 1)) / groups.length;
      await Promise.all(group.map((part) => part.stop(deadline)));
    }
    clearInterval(this.#logCheck);
    for (const log of this.#logs.splice(0)) log.close();
  }
}
