/**
 * First come, first served. Arrays from whose front one takes: `shift()` would move all the others each time. Two, because an
 * object for each that waits would grow old with it; an array of numbers has none.
 */
export class Line<T> {
  readonly #places: (T | undefined)[] = [];
  /** Since when each waits, by `performance.now()`. */
  readonly #since: number[] = [];
  /** Those before it are gone. */
  #front = 0;

  get length(): number {
    return this.#places.length - this.#front;
  }

  /** Milliseconds that the first one has waited; below zero where there is none. */
  get waitedMs(): number {
    const since = this.#since[this.#front];
    return since === undefined ? -1 : performance.now() - since;
  }

  push(one: T): void {
    this.#places.push(one);
    this.#since.push(performance.now());
  }

  take(): T | undefined {
    const first = this.#places[this.#front];
    if (first === undefined) return undefined;
    this.#places[this.#front] = undefined;
    this.#front += 1;
    // Seldom, for it moves all that wait.
    if (this.#front === this.#places.length || this.#front >= 4096) {
      this.#places.splice(0, this.#front);
      this.#since.splice(0, this.#front);
      this.#front = 0;
    }
    return first;
  }
}
