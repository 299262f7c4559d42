/**
 * Short-lived items, thousands per second, in reusable slots.
 *
 * It uses arrays instead of a Set or a Map. When V8 reallocates the table of a Set or Map, the old table keeps its entries
 * and refers to the new one. Once one of the tables has moved to the old generation, every later entry survives until a full
 * collection.
 */
export class SlotTable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** Returns the slot of the item. */
  put(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  get(slot: number): T | undefined {
    return this.#items[slot];
  }

  /** @param slot a slot in use */
  free(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  get isEmpty(): boolean {
    return this.#free.length === this.#items.length;
  }

  /** A copy of the items, because slots may be freed during the iteration. */
  items(): T[] {
    return this.#items.filter((item) => item !== undefined);
  }
}
