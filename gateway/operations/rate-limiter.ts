import { Fault } from '@roster/contracts';
import { LRUCache } from 'lru-cache';

/** Buckets kept. An evicted key starts again with a full bucket. */
const keysMax = 10_000;

interface Bucket {
  tokens: number;
  refilledAt: number;
}

/** The API key has exceeded its rate limit. */
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

/** A token bucket per key. Capacity and refill per second are both the rate limit. */
export class RateLimiter {
  /** 0 sets no limit. */
  readonly perSecond: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: keysMax });

  constructor(perSecond: number) {
    this.perSecond = perSecond;
  }

  /**
   * Takes one token from the bucket of a key.
   *
   * @returns the number of tokens left
   *
   * @throws RateLimited
   */
  take(keyId: string, now = performance.now()): number {
    if (this.perSecond === 0) return Infinity;
    let bucket = this.#buckets.get(keyId);
    if (!bucket) this.#buckets.set(keyId, (bucket = { tokens: this.perSecond, refilledAt: now }));
    bucket.tokens = Math.min(
      this.perSecond,
      bucket.tokens + ((now - bucket.refilledAt) / 1000) * this.perSecond,
    );
    bucket.refilledAt = now;
    if (bucket.tokens < 1) throw new RateLimited(this.perSecond);
    bucket.tokens -= 1;
    return Math.floor(bucket.tokens);
  }
}
