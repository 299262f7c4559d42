/** Maximum number of keys whose revocation is remembered. */
const keysMax = 10_000;

/** The API keys that were revoked or rotated lately: what was found out about such a key before that is outdated. */
export class Revocations {
  readonly #rememberMs: number;
  /** Times of the last revocations by ID of the key, oldest first. All times are by `performance.now()`. */
  readonly #times = new Map<string, number>();
  /** Until then, any key may have been revoked. */
  #unknownUntil = -Infinity;

  /** @param rememberMs for how long something that was found out may be used, from the time of its request */
  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  add(keyId: string, now = performance.now()): void {
    this.#times.delete(keyId);
    this.#times.set(keyId, now);
    for (const [oldest, time] of this.#times) {
      if (this.#times.size <= keysMax && now - time <= this.#rememberMs) break;
      this.#times.delete(oldest);
      this.#unknownUntil = time;
    }
  }

  /** Revocations may have been missed until now. */
  addAll(now = performance.now()): void {
    this.#times.clear();
    this.#unknownUntil = now;
  }

  /** Whether what was requested about a key at a time is outdated. */
  isOutdated(keyId: string, requestedAt: number): boolean {
    return (
      requestedAt <= this.#unknownUntil || requestedAt <= (this.#times.get(keyId) ?? -Infinity)
    );
  }
}
