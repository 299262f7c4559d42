import { LRUCache } from 'lru-cache';
import { TokenBucket } from './token-bucket.js';

/** Buckets kept. An evicted one is full when it is used again. */
const bucketsMax = 10_000;
/** A gateway reports its use when it has used this share of a second's requests. */
const reportShare = 1 / 64;
/** Maximum number of buckets in one report, and of those that wait for a report. */
const reportMax = 500;
const unreportedMax = 10_000;
/** More than any ID has. */
const idLengthMax = 64;

/** Requests that a gateway has used, by ID of the key or workspace. */
export type Used = [id: string, requests: number][];

/** A rate limit: requests per second of each key, or of each workspace. */
export class Quota {
  readonly name: string;
  readonly perSecond: number;
  readonly #reportAt: number;
  readonly #onUnreported: () => void;
  readonly #buckets = new LRUCache<string, TokenBucket>({ max: bucketsMax });
  /** Buckets with use to be reported, first in first out. */
  readonly #unreported = new Map<string, TokenBucket>();

  /**
   * @param name of the policy in `RateLimit-Policy`
   * @param onUnreported called when there is use to report
   */
  constructor(name: string, perSecond: number, onUnreported: () => void) {
    this.name = name;
    this.#onUnreported = onUnreported;
    this.perSecond = perSecond;
    this.#reportAt = Math.max(1, Math.ceil(perSecond * reportShare));
  }

  bucketOf(id: string, now: number): TokenBucket {
    let bucket = this.#buckets.get(id);
    if (!bucket) this.#buckets.set(id, (bucket = new TokenBucket(this.perSecond, now)));
    return bucket;
  }

  /** Takes more requests than one, even if fewer are left. */
  charge(id: string, requests: number, now: number): TokenBucket {
    const bucket = this.bucketOf(id, now);
    bucket.takeUsed(requests, now);
    this.taken(id, bucket, requests);
    return bucket;
  }

  /** Notes requests to be reported. */
  taken(id: string, bucket: TokenBucket, requests: number): void {
    bucket.unreported += requests;
    if (bucket.unreported < this.#reportAt || this.#unreported.size >= unreportedMax) return;
    this.#unreported.set(id, bucket);
    this.#onUnreported();
  }

  /** What was used since the last report of each bucket. A small use is reported later, together with more. */
  report(): Used {
    const used: Used = [];
    for (const [id, bucket] of this.#unreported) {
      if (used.length === reportMax) break;
      used.push([id, bucket.unreported]);
      bucket.unreported = 0;
      this.#unreported.delete(id);
    }
    return used;
  }

  /**
   * Counts the report of another gateway. Invalid numbers of requests could raise a limit, or block its owner permanently, and
   * texts longer than IDs could take any amount of memory: such entries are ignored.
   */
  count(used: Used, now: number): void {
    for (const [id, requests] of used) {
      if (id.length <= idLengthMax && Number.isSafeInteger(requests) && requests > 0)
        this.bucketOf(id, now).takeUsed(requests, now);
    }
  }
}
