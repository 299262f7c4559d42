export interface LaneOptions<Item> {
  /** Maximum number of items handled at once. */
  concurrency: number;
  /** Maximum number of items that wait. */
  waitingMax: number;
  /** Returns the name of an item. Items with the same name are handled one at a time; others may overtake them. */
  singleBy?: (item: Item) => string | undefined;
}

/** Handles items of one kind with bounded concurrency, independently of other kinds. */
export class Lane<Item> {
  readonly #work: (item: Item) => Promise<void>;
  readonly #options: LaneOptions<Item>;
  readonly #waiting: Item[] = [];
  readonly #names = new Set<string>();
  #working = 0;
  #idle: (() => void)[] = [];

  /** @param work must never reject */
  constructor(work: (item: Item) => Promise<void>, options: LaneOptions<Item>) {
    this.#work = work;
    this.#options = options;
  }

  /** Returns false, without accepting the item, if too many are waiting. */
  take(item: Item): boolean {
    const { concurrency, waitingMax } = this.#options;
    if (this.#working < concurrency && this.#isFree(item)) void this.#run(item);
    else if (this.#waiting.length < waitingMax) this.#waiting.push(item);
    else return false;
    return true;
  }

  /** Resolves when all accepted items are handled. */
  async idle(): Promise<void> {
    if (this.#working > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #isFree(item: Item): boolean {
    const name = this.#options.singleBy?.(item);
    return name === undefined || !this.#names.has(name);
  }

  async #run(item: Item): Promise<void> {
    const name = this.#options.singleBy?.(item);
    if (name !== undefined) this.#names.add(name);
    this.#working += 1;
    await this.#work(item);
    this.#working -= 1;
    if (name !== undefined) this.#names.delete(name);
    const next = this.#waiting.findIndex((waiting) => this.#isFree(waiting));
    if (next >= 0) void this.#run(this.#waiting.splice(next, 1)[0]!);
    else if (this.#working === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }
}
