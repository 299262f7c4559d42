import type { Log } from './log.js';

type ShutdownStep = () => unknown;

/** Closes resources in reverse order of their acquisition: stop accepting work, finish work in flight, close. */
export class ShutdownStack {
  readonly #steps: ShutdownStep[] = [];
  readonly #log: Log;

  constructor(log: Log) {
    this.#log = log;
  }

  readonly onShutdown = (step: ShutdownStep): void => void this.#steps.push(step);

  async shutDown(): Promise<void> {
    for (let step = this.#steps.pop(); step; step = this.#steps.pop()) {
      try {
        await step();
      } catch (error) {
        // The remaining steps must run nevertheless.
        this.#log.error({ err: error }, 'failed to close a resource');
      }
    }
  }
}
