import type { Caller } from '@roster/contracts';

/** Maximum number of keys and workspaces whose revocation is remembered. */
const keysMax = 10_000;

/**
 * The API keys that were revoked or rotated lately, and the workspaces whose origins changed. Earlier results of look-ups of such a
 * key, or of the keys of such a workspace, are outdated.
 */
export class Revocations {
  readonly #rememberMs: number;
  /** Times of the last revocations by ID, oldest first. All times are by `performance.now()`. */
  readonly #times = new Map<string, number>();
  /** Results that were requested until then are outdated, of any key. */
  #unknownUntil = -Infinity;

  /** @param rememberMs for how long the result of a look-up may be used, from the time of its request */
  constructor(rememberMs: number) {
    this.#rememberMs = rememberMs;
  }

  /** @param id of the key or workspace */
  add(id: string, now = performance.now()): void {
    this.#times.delete(id);
    this.#times.set(id, now);
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

  /** Whether the result of a look-up of a caller's key is outdated. */
  concern({ keyId, workspaceId }: Caller, requestedAt: number): boolean {
    return this.isOutdated(keyId, requestedAt) || this.isOutdated(workspaceId, requestedAt);
  }

  /** Whether the result of a look-up of a key, or of a key of a workspace, is outdated. */
  isOutdated(id: string, requestedAt: number): boolean {
    return requestedAt <= this.#unknownUntil || requestedAt <= (this.#times.get(id) ?? -Infinity);
  }
}
