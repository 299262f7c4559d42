/**
 * Things that come and go thousands of times a second, each in a slot that is used again after it.
 *
 * Arrays, not a Set or a Map: each time V8 makes their table anew, the old one keeps what it held and leads to the new one, so
 * that once one of them has grown old, everything that was ever in it lives on until a full collection.
 */
export class SlotTable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the slot that it is in from now on. */
  put(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  get(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** @param slot one that is taken */
  free(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  get isEmpty(): boolean {
    return this.#free.length === this.#items.length;
  }

  /** What is in slots now: a copy, for slots may become free while it is gone through. */
  items(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
