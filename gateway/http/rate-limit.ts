import { LRUCache } from 'lru-cache';
import type { OutgoingHttpHeaders } from 'node:http';
import { Refusal } from './refusal.js';

/** Keys remembered; one that is forgotten starts again with a full bucket. */
const keysMax = 10_000;

interface Bucket {
  tokens: number;
  filledAt: number;
}

/** A token bucket per key, that holds and regains as many requests as a second may have. */
export class RateLimiter {
  readonly #perSecond: number;
  readonly #buckets = new LRUCache<string, Bucket>({ max: keysMax });
  readonly #policy: string;

  /** @param perSecond 0 sets no limit */
  constructor(perSecond: number) {
    this.#perSecond = perSecond;
    this.#policy = `"key";q=${perSecond};w=1`;
  }

  /**
   * Takes one request of a key's, and tells in the answer's headers what is left.
   * https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/
   *
   * @throws Refusal `rate_limited`
   */
  take(keyId: string, headers: OutgoingHttpHeaders, now = performance.now()): void {
    if (this.#perSecond === 0) return;
    let bucket = this.#buckets.get(keyId);
    if (!bucket) this.#buckets.set(keyId, (bucket = { tokens: this.#perSecond, filledAt: now }));
    bucket.tokens = Math.min(
      this.#perSecond,
      bucket.tokens + ((now - bucket.filledAt) / 1000) * this.#perSecond,
    );
    bucket.filledAt = now;
    headers['RateLimit-Policy'] = this.#policy;
    headers['RateLimit'] = `"key";r=${Math.max(0, Math.floor(bucket.tokens - 1))};t=1`;
    if (bucket.tokens < 1) {
      throw new Refusal(
        'rate_limited',
        `This key may ask ${this.#perSecond} times a second.`,
        {},
        { retryAfterSeconds: 1 },
      );
    }
    bucket.tokens -= 1;
  }
}
