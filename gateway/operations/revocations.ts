import type { Caller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';

/** Maximum number of keys and workspaces whose revocation is remembered. */
const keysMax = 10_000;

/**
 * The API keys that were revoked or rotated lately, and the workspaces whose origins changed. Earlier results of look-ups of such a
 * key, or of the keys of such a workspace, are outdated.
 */
export class Revocations {
  /** Times of the last revocations by ID. All times are by `performance.now()`. */
  readonly #times = new LRUCache<string, number>({
    max: keysMax,
    dispose: (time, _, reason) => {
      if (reason === 'evict') this.#unknownUntil = time;
    },
  });
  /** Results that were requested until then are outdated, of any key. */
  #unknownUntil = -Infinity;

  /** @param id of the key or workspace */
  add(id: string, now = performance.now()): void {
    this.#times.set(id, now);
  }

  /** Revocations may have been missed until now. */
  addAll(now = performance.now()): void {
    this.#times.clear();
    this.#unknownUntil = now;
  }

  /** Whether the result of a look-up of a caller's key is outdated. */
  concern(
    { keyId, workspaceId }: Pick<Caller, 'keyId' | 'workspaceId'>,
    requestedAt: number,
  ): boolean {
    return (
      requestedAt <= this.#unknownUntil ||
      requestedAt <= (this.#times.peek(keyId) ?? -Infinity) ||
      requestedAt <= (this.#times.peek(workspaceId) ?? -Infinity)
    );
  }
}
