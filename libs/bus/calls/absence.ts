/** Calls that nobody serves are tried again for this long before they are refused: restarts of services take less. */
const graceMs = 2000;
/** What was not looked at for this long is not known any more: the service may have been back meanwhile. */
const forgetMs = 10_000;
const delayMsMin = 20;
const delayMsMax = 200;

/** What is known of an operation that nobody serves: NATS says so of a batch at once. */
export class Absence {
  #since: number | null = null;
  #seenAt = 0;

  /** NATS has found nobody who serves. */
  seen(now: number): void {
    if (this.#since === null || now - this.#seenAt > forgetMs) this.#since = now;
    this.#seenAt = now;
  }

  /** A batch was answered. One that was sent before the absence was seen tells nothing: who stops still answers. */
  answered(sentAt: number): void {
    if (this.#since !== null && sentAt >= this.#seenAt) this.#since = null;
  }

  forget(): void {
    this.#since = null;
  }

  /** Whether calls wait for the service to come back. When it has been away for longer, they are tried once. */
  isShort(now: number): boolean {
    return this.#since !== null && now - this.#since < graceMs;
  }

  /** Between one attempt and the next, growing as the absence lasts. */
  retryDelayMs(now: number): number {
    const lastedMs = now - (this.#since ?? now);
    return Math.min(Math.max(lastedMs / 2, delayMsMin), delayMsMax);
  }
}
