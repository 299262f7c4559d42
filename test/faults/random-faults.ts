import { setTimeout as delay } from 'node:timers/promises';
import type { Random } from './random.js';

/** Something that goes wrong for a time, and is then over. */
export interface Fault {
  name: string;
  /** Waits in between with `wait`, which ends early when the run ends. False if nothing was there to fail. */
  inflict(wait: () => Promise<void>): Promise<boolean>;
}

export interface FaultOptions {
  random: Random;
  /** Pause between faults. */
  gapSeconds: readonly [number, number];
  /** How long a fault lasts. */
  lastSeconds: readonly [number, number];
  print: (line: string) => void;
}

/** Inflicts faults one after another in random order, each as often as any other, until it is stopped. */
export class RandomFaults {
  readonly #faults: readonly Fault[];
  readonly #options: FaultOptions;
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;

  constructor(faults: readonly Fault[], options: FaultOptions) {
    this.#faults = faults;
    this.#options = options;
    this.#running = this.#run();
  }

  /** Resolves when the last fault is over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { random, gapSeconds, lastSeconds, print } = this.#options;
    const startedAt = performance.now();
    while (!this.#stopping.signal.aborted && this.#faults.length > 0) {
      for (const { name, inflict } of random.shuffled(this.#faults)) {
        await this.#wait(random.between(...gapSeconds));
        if (this.#stopping.signal.aborted) return;
        const at = ((performance.now() - startedAt) / 1000).toFixed(0);
        const seconds = random.between(...lastSeconds);
        if (await inflict(() => this.#wait(seconds)))
          print(`${at.padStart(5)} s  ${name}, ${seconds.toFixed(1)} s`);
      }
    }
  }

  #wait(seconds: number): Promise<void> {
    return delay(seconds * 1000, undefined, { signal: this.#stopping.signal }).catch(
      () => undefined,
    );
  }
}
