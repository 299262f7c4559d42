export interface ClientPaceLimits {
  /** How long the gateway may wait for a client in total, before what each transferred byte adds. */
  waitingMs: number;
  /** Transferred bytes that add a second. */
  bytesPerSecondMin: number;
}

/**
 * Bounds how slowly a client transfers a long body. Each part has a deadline of its own; without a bound for all parts, a client
 * that transfers each one just in time would keep its place for days.
 */
export class ClientPace {
  readonly #msPerByte: number;
  #leftMs: number;

  constructor({ waitingMs, bytesPerSecondMin }: ClientPaceLimits) {
    this.#leftMs = waitingMs;
    this.#msPerByte = 1000 / bytesPerSecondMin;
  }

  /** Counts a part for which the gateway waited. Returns whether all parts so far took too long. */
  isTooSlow(bytes: number, waitedMs: number): boolean {
    this.#leftMs += bytes * this.#msPerByte - waitedMs;
    return this.#leftMs < 0;
  }
}
