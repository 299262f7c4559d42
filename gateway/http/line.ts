/** First come, first served. An array from whose front one takes: `shift()` would move all the others each time. */
export class Line<T> {
  readonly #places: (T | undefined)[] = [];
  /** Those before it are gone. */
  #front = 0;

  get length(): number {
    return this.#places.length - this.#front;
  }

  get first(): T | undefined {
    return this.#places[this.#front];
  }

  push(one: T): void {
    this.#places.push(one);
  }

  take(): T | undefined {
    const first = this.#places[this.#front];
    if (first === undefined) return undefined;
    this.#places[this.#front] = undefined;
    this.#front += 1;
    // Seldom, for it moves all that wait.
    if (this.#front === this.#places.length || this.#front >= 4096) {
      this.#places.splice(0, this.#front);
      this.#front = 0;
    }
    return first;
  }
}
