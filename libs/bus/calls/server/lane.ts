export interface LaneOptions<Item> {
  /** Maximum number of items handled at once. */
  concurrency: number;
  /** Maximum number of items that wait. */
  waitingMax: number;
  /** Returns the workspace of an item. Undefined if it belongs to several. */
  workspaceOf: (item: Item) => string | undefined;
  /** Maximum number of items of a workspace handled at once; those of others may overtake them. By default, as many as of all. */
  workspaceMax?: number;
  /** Whether an item has waited for too long. */
  isLate: (item: Item) => boolean;
  /** Called with a late item that will not be handled. */
  onLate: (item: Item) => void;
}

/** Interval of the checks for late items, while any waits. */
const sweepMs = 20;

/**
 * Handles items of one kind with bounded concurrency, independently of other kinds. Workspaces share what is bounded: an item
 * of the workspace with the fewest items in progress is handled next, and the workspace with the most waiting items is refused first.
 */
export class Lane<Item> {
  readonly #work: (item: Item) => Promise<void>;
  readonly #options: LaneOptions<Item>;
  readonly #waiting: Item[] = [];
  /** Number of items in progress, by workspace. */
  readonly #busy = new Map<string, number>();
  #working = 0;
  #sweeper: NodeJS.Timeout | undefined;
  #idle: (() => void)[] = [];

  /** @param work must never reject */
  constructor(work: (item: Item) => Promise<void>, options: LaneOptions<Item>) {
    this.#work = work;
    this.#options = options;
  }

  /** Returns the item that is refused if too many wait: this item or one that waited. It will not be handled. */
  take(item: Item): Item | undefined {
    const { concurrency, waitingMax } = this.#options;
    if (this.#working < concurrency && this.#isFree(item)) {
      void this.#run(item);
      return undefined;
    }
    this.#waiting.push(item);
    this.#sweeper ??= setInterval(() => this.#sweep(), sweepMs).unref();
    return this.#waiting.length > waitingMax ? this.#displace() : undefined;
  }

  /** Resolves when all accepted items are handled. */
  async idle(): Promise<void> {
    if (this.#working > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #busyOf(item: Item): number {
    const workspace = this.#options.workspaceOf(item);
    return workspace === undefined ? 0 : (this.#busy.get(workspace) ?? 0);
  }

  #isFree(item: Item): boolean {
    return this.#busyOf(item) < (this.#options.workspaceMax ?? Infinity);
  }

  /** Removes the last item of the workspace with the most waiting items, or the last item if no workspace has several. */
  #displace(): Item {
    const counts = new Map<string, number>();
    let most = 2;
    let displaced = this.#waiting.length - 1;
    for (const [at, item] of this.#waiting.entries()) {
      const workspace = this.#options.workspaceOf(item);
      if (workspace === undefined) continue;
      const count = (counts.get(workspace) ?? 0) + 1;
      counts.set(workspace, count);
      if (count >= most) [most, displaced] = [count, at];
    }
    return this.#waiting.splice(displaced, 1)[0]!;
  }

  #sweep(): void {
    const { isLate, onLate } = this.#options;
    const waiting = this.#waiting.splice(0);
    const { late = [], others = [] } = Object.groupBy(waiting, (item) =>
      isLate(item) ? 'late' : 'others',
    );
    this.#waiting.push(...others);
    if (others.length === 0) {
      clearInterval(this.#sweeper);
      this.#sweeper = undefined;
    }
    for (const item of late) onLate(item);
  }

  /** Removes the first item of the workspace with the fewest items in progress. */
  #next(): Item | undefined {
    let fewest = Infinity;
    let next = -1;
    for (const [at, item] of this.#waiting.entries()) {
      const busy = this.#busyOf(item);
      if (busy < fewest && this.#isFree(item)) [fewest, next] = [busy, at];
      if (fewest === 0) break;
    }
    return next < 0 ? undefined : this.#waiting.splice(next, 1)[0];
  }

  async #run(item: Item): Promise<void> {
    this.#count(item, 1);
    await this.#work(item);
    this.#count(item, -1);
    const next = this.#next();
    if (next !== undefined) void this.#run(next);
    else if (this.#working === 0) for (const resolve of this.#idle.splice(0)) resolve();
  }

  #count(item: Item, change: 1 | -1): void {
    this.#working += change;
    const workspace = this.#options.workspaceOf(item);
    if (workspace === undefined) return;
    const busy = (this.#busy.get(workspace) ?? 0) + change;
    if (busy > 0) this.#busy.set(workspace, busy);
    else this.#busy.delete(workspace);
  }
}
