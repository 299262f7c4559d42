/** The sleep of a loop between two rounds. After a wake-up during a round, the next sleep ends immediately. */
export class WakeableSleep {
  #timer: NodeJS.Timeout | undefined;
  #resolve: (() => void) | undefined;
  #isWoken = false;

  async for(ms: number): Promise<void> {
    if (!this.#isWoken) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        this.#timer = setTimeout(resolve, ms);
      });
    }
    this.#resolve = undefined;
    this.#isWoken = false;
  }

  wake(): void {
    clearTimeout(this.#timer);
    if (this.#resolve) this.#resolve();
    else this.#isWoken = true;
  }
}
