/** A rate limit's counter: holds the requests of one second, and is refilled continuously. */
export class TokenBucket {
  readonly perSecond: number;
  /** Tokens taken here that were not reported to other gateways. */
  unreported = 0;
  /** Negative if gateways together took more than there was. */
  #tokens: number;
  /** By `performance.now()`. */
  #refilledAt: number;

  constructor(perSecond: number, now: number) {
    this.perSecond = perSecond;
    this.#tokens = perSecond;
    this.#refilledAt = now;
  }

  /** Whole requests left, as of the last refill. */
  get remaining(): number {
    return Math.max(0, Math.floor(this.#tokens));
  }

  /** Seconds until the next token, at least 1, as of the last refill. */
  get retryAfterSeconds(): number {
    return Math.max(1, Math.ceil((1 - this.#tokens) / this.perSecond));
  }

  /** Whether a token is left. */
  refill(now: number): boolean {
    // Messages of other gateways and requests may be read in another order than they arrived.
    const elapsedMs = Math.max(0, now - this.#refilledAt);
    this.#tokens = Math.min(this.perSecond, this.#tokens + (elapsedMs / 1000) * this.perSecond);
    this.#refilledAt += elapsedMs;
    return this.#tokens >= 1;
  }

  take(): void {
    this.#tokens -= 1;
    this.unreported += 1;
  }

  /** Takes what another gateway has used. The debt is at most the requests of one second, so that no caller waits longer. */
  takeElsewhere(tokens: number, now: number): void {
    this.refill(now);
    this.#tokens = Math.max(-this.perSecond, this.#tokens - tokens);
  }
}
