export interface WorkLoopOptions {
  /** Does some of the work that is due. Returns for how long to sleep then, in milliseconds; 0 if more may be due. */
  step: () => Promise<number>;
  /** After a step that failed. */
  pauseMs: number;
  onFailure: (error: unknown) => void;
  /** Shared with what wakes the loop. */
  sleep?: WakeableSleep;
}

/** Does background work step by step, until it is stopped. */
export class WorkLoop {
  readonly #options: WorkLoopOptions;
  readonly #sleep: WakeableSleep;
  readonly #running: Promise<void>;
  #stopped = false;

  /** Begins with the first step. */
  constructor(options: WorkLoopOptions) {
    this.#options = options;
    this.#sleep = options.sleep ?? new WakeableSleep();
    this.#running = this.#run();
  }

  /** Ends the sleep, or leaves out the next one. */
  wake(): void {
    this.#sleep.wake();
  }

  /** Begins no further step. Resolves when the last one has ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sleep.wake();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { step, pauseMs, onFailure } = this.#options;
    while (!this.#stopped) {
      let sleepMs = pauseMs;
      try {
        sleepMs = await step();
      } catch (error) {
        onFailure(error);
      }
      if (sleepMs > 0 && !this.#stopped) await this.#sleep.for(sleepMs);
    }
  }
}

/** The sleep between two rounds of work. After a wake-up while nothing sleeps, the next sleep ends immediately. */
export class WakeableSleep {
  /** Ends the sleeps in progress. */
  readonly #ends = new Set<() => void>();
  #isWoken = false;

  async for(ms: number): Promise<void> {
    if (this.#isWoken) {
      this.#isWoken = false;
      return;
    }
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        this.#ends.delete(end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      this.#ends.add(end);
    });
  }

  wake(): void {
    if (this.#ends.size === 0) this.#isWoken = true;
    for (const end of this.#ends) end();
  }
}
