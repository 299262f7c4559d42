/** Look-ups in flight, of which concurrent requests for the same share one. */
export class LookUps<Result> {
  readonly #inFlight = new Map<string, Promise<Result>>();

  get size(): number {
    return this.#inFlight.size;
  }

  has(id: string): boolean {
    return this.#inFlight.has(id);
  }

  /**
   * The result of the look-up in flight, or of a new one.
   *
   * @param keep called with the result, unless it was forgotten meanwhile
   */
  share(
    id: string,
    lookUp: () => Promise<Result>,
    keep: (result: Result) => void = () => {},
  ): Promise<Result> {
    const inFlight = this.#inFlight.get(id);
    if (inFlight) return inFlight;
    const isCurrent = () => this.#inFlight.get(id) === shared;
    const shared = lookUp()
      .then((result) => {
        if (isCurrent()) keep(result);
        return result;
      })
      .finally(() => {
        if (isCurrent()) this.#inFlight.delete(id);
      });
    this.#inFlight.set(id, shared);
    return shared;
  }

  /** The result of the look-up in flight is outdated: later requests need another one. */
  forget(id: string): void {
    this.#inFlight.delete(id);
  }

  forgetAll(): void {
    this.#inFlight.clear();
  }
}
