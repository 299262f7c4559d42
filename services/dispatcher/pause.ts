/** The pause of a loop between two looks, which can be cut short, beforehand too. */
export class Pause {
  #timer: NodeJS.Timeout | undefined;
  #resolve: (() => void) | undefined;
  #isOver = false;

  async for(ms: number): Promise<void> {
    if (!this.#isOver) {
      await new Promise<void>((resolve) => {
        this.#resolve = resolve;
        this.#timer = setTimeout(resolve, ms);
      });
    }
    this.#resolve = undefined;
    this.#isOver = false;
  }

  /** Ends the pause; where there is none, the next one, lest what happened during a look wait for the one after. */
  end(): void {
    clearTimeout(this.#timer);
    if (this.#resolve) this.#resolve();
    else this.#isOver = true;
  }
}
