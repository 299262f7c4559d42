export interface LaneOptions {
  /** Maximum number of items handled at once. */
  concurrency: number;
  /** Maximum number of items that wait. */
  waitingMax: number;
}

/** Handles items of one kind with bounded concurrency, independently of other kinds. */
export class Lane<Item> {
  readonly #work: (item: Item) => Promise<void>;
  readonly #options: LaneOptions;
  readonly #waiting: Item[] = [];
  #working = 0;
  #idle: (() => void)[] = [];

  /** @param work must never reject */
  constructor(work: (item: Item) => Promise<void>, options: LaneOptions) {
    this.#work = work;
    this.#options = options;
  }

  /** Returns false, without accepting the item, if too many are waiting. */
  take(item: Item): boolean {
    const { concurrency, waitingMax } = this.#options;
    if (this.#working < concurrency) void this.#run(item);
    else if (this.#waiting.length < waitingMax) this.#waiting.push(item);
    else return false;
    return true;
  }

  /** Resolves when all accepted items are handled. */
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
