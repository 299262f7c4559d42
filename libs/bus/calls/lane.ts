export interface LaneOptions {
  /** Items worked on at once. */
  concurrency: number;
  /** Items that may wait behind them. */
  waitingMax: number;
}

/** Works on items of one kind within bounds, so that they take nothing from those of another kind. */
export class Lane<Item> {
  readonly #work: (item: Item) => Promise<void>;
  readonly #options: LaneOptions;
  readonly #waiting: Item[] = [];
  #working = 0;
  #idle: (() => void)[] = [];

  /** @param work never rejects */
  constructor(work: (item: Item) => Promise<void>, options: LaneOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** False when too many wait already: the item was not taken. */
  take(item: Item): boolean {
    const { concurrency, waitingMax } = this.#options;
    if (this.#working < concurrency) void this.#run(item);
    else if (this.#waiting.length < waitingMax) this.#waiting.push(item);
    else return false;
    return true;
  }

  /** Resolves when everything that was taken is done. */
  async idle(): Promise<void> {
    if (this.#working > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  async #run(item: Item): Promise<void> {
    this.#working += 1;
    await this.#work(item);
    this.#working -= 1;
    const next = this.#waiting.shift();
    if (next !== undefined) void this.#run(next);
    else if (this.#working === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
