/** Counter of a limit: holds what is allowed in one window, and is refilled continuously. */
export class TokenBucket {
  readonly max: number;
  /** Tokens taken here that were not reported to other gateways. */
  unreported = 0;
  /** Negative if gateways together took more than there was. */
  #tokens: number;
  /** By `performance.now()`. */
  #refilledAt: number;
  readonly #windowMs: number;

  /** @param max allowed in a window, by default of one second */
  constructor(max: number, now: number, { windowMs = 1000 } = {}) {
    this.max = max;
    this.#windowMs = windowMs;
    this.#tokens = max;
    this.#refilledAt = now;
  }

  /** Whole tokens left, and seconds until the next one, at least 1, as of the last refill. */
  state(): { remaining: number; retryAfterSeconds: number } {
    const seconds = ((1 - this.#tokens) / this.max) * (this.#windowMs / 1000);
    return {
      remaining: Math.max(0, Math.floor(this.#tokens)),
      retryAfterSeconds: Math.max(1, Math.ceil(seconds)),
    };
  }

  /** Whether a token is left. */
  refill(now: number): boolean {
    // Messages of other gateways and requests may be read in another order than they arrived.
    const elapsedMs = Math.max(0, now - this.#refilledAt);
    this.#tokens = Math.min(this.max, this.#tokens + (elapsedMs / this.#windowMs) * this.max);
    this.#refilledAt += elapsedMs;
    return this.#tokens >= 1;
  }

  take(): void {
    this.#tokens -= 1;
  }

  /** Takes what was used already, even if that is more than is left. The debt is at most what is refilled in one window. */
  takeUsed(tokens: number, now: number): void {
    this.refill(now);
    this.#tokens = Math.max(-this.max, this.#tokens - tokens);
  }
}
