/** A number for each key. Keys whose number is 0 are not stored. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys();
  }

  entries(): IterableIterator<[key: string, count: number]> {
    return this.#counts.entries();
  }

  add(key: string, count = 1): void {
    const now = this.of(key) + count;
    if (now === 0) this.#counts.delete(key);
    else this.#counts.set(key, now);
  }
}
