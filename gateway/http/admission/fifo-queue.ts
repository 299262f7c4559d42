/**
 * First in, first out. `shift()` of an array would move all other items each time. Two arrays instead of one of pairs, because a
 * pair per item would grow old with it on V8's heap; an array of numbers has no objects.
 */
export class FifoQueue<T> {
  readonly #items: (T | undefined)[] = [];
  /** When each item was queued, by `performance.now()`. */
  readonly #queuedAt: number[] = [];
  /** Index of the first item; those before it were taken. */
  #front = 0;

  get length(): number {
    return this.#items.length - this.#front;
  }

  /** How long the first item has been queued; negative if the queue is empty. */
  get waitedMs(): number {
    const queuedAt = this.#queuedAt[this.#front];
    return queuedAt === undefined ? -1 : performance.now() - queuedAt;
  }

  push(item: T): void {
    this.#items.push(item);
    this.#queuedAt.push(performance.now());
  }

  shift(): T | undefined {
    const first = this.#items[this.#front];
    if (first === undefined) return undefined;
    this.#items[this.#front] = undefined;
    this.#front += 1;
    // Rarely, because it moves all queued items.
    if (this.#front === this.#items.length || this.#front >= 4096) {
      this.#items.splice(0, this.#front);
      this.#queuedAt.splice(0, this.#front);
      this.#front = 0;
    }
    return first;
  }
}
