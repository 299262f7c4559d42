import { Fault } from '@roster/contracts';
import { LRUCache } from 'lru-cache';

/** Keys remembered; one that is forgotten starts again with a full bucket. */
const keysMax = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A key asks more often than it may. */
export class RateLimited extends Fault {
  readonly perSecond: number;

  constructor(perSecond: number) {
    super(
      'rate_limited',
      `The API key has exceeded its limit of ${perSecond} requests per second.`,
      {
        retryAfterSeconds: 1,
      },
    );
    this.perSecond = perSecond;
  }
}

/** A token bucket per key, that holds and regains as many requests as a second may have. */
export class RateLimiter {
  /** 0 sets no limit. */
  readonly perSecond: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: keysMax });

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  /**
   * Takes one request of a key's, and returns how many are left.
   *
   * @throws RateLimited
   */
  take(keyId: string, now = performance.now()): number {
    if (this.perSecond === 0) return Infinity;
    let bucket = this.#buckets.get(keyId);
    if (!bucket) this.#buckets.set(keyId, (bucket = { tokens: this.perSecond, filledAt: now }));
    bucket.tokens = Math.min(
      this.perSecond,
      bucket.tokens + ((now - bucket.filledAt) / 1000) * this.perSecond,
    );
    bucket.filledAt = now;
    if (bucket.tokens < 1) throw new RateLimited(this.perSecond);
    bucket.tokens -= 1;
    return Math.floor(bucket.tokens);
  }
}
