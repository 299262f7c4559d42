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
