import type { Caller } from '@roster/contracts';

/** Maximum number of keys and workspaces whose revocation is remembered. */
const keysMax = 10_000;

/**
 * The API keys that were revoked or rotated lately, and the workspaces whose origins changed: what was found out about such a key, or
 * the keys of such a workspace, before that is outdated.
 */
export class Revocations {
  readonly #rememberMs: number;
  /** Times of the last revocations by ID, oldest first. All times are by `performance.now()`. */
  readonly #times = new Map<string, number>();
  /** Until then, any key may have been revoked. */
  #unknownUntil = -Infinity;

  /** @param rememberMs for how long something that was found out may be used, from the time of its request */
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

  /** Whether what was requested about the key of a caller at a time is outdated. */
  concern({ keyId, workspaceId }: Caller, requestedAt: number): boolean {
    return this.isOutdated(keyId, requestedAt) || this.isOutdated(workspaceId, requestedAt);
  }

  /** Whether what was requested about a key, or the keys of a workspace, at a time is outdated. */
  isOutdated(id: string, requestedAt: number): boolean {
    return requestedAt <= this.#unknownUntil || requestedAt <= (this.#times.get(id) ?? -Infinity);
  }
}
