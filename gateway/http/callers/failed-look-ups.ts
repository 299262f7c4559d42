import { Fault, type Caller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import type { IncomingMessage } from 'node:http';
import { InvalidKey } from '../../operations/key-verification.js';
import { TokenBucket } from '../../operations/rates/token-bucket.js';
import { networkOf, type TrustedProxies } from '../connections/trusted-proxies.js';

/** Networks kept. Those that have failed least recently are evicted. */
const networksMax = 10_000;
const minuteMs = 60_000;

/**
 * Bounds the look-ups of one kind that fail for an IPv4 address, or a /64 network of IPv6: of keys, whose tokens have a signature to
 * verify, of origins that no workspace lists, or of unsubscribe links. Above the limit, further ones are refused. Each kind has
 * limits of its own: a page can make the browsers of its visitors send unknown origins and links, but no keys.
 */
export class FailedLookUps {
  readonly #perMinute: number;
  readonly #proxies: TrustedProxies;
  readonly #what: string;
  readonly #left = new LRUCache<string, TokenBucket>({ max: networksMax });
  readonly #counted = new WeakSet<InvalidKey>();

  /**
   * @param perMinute 0 sets no limit
   * @param what in the plural, for the message of the refusal
   */
  constructor(perMinute: number, proxies: TrustedProxies, what: string) {
    this.#perMinute = perMinute;
    this.#proxies = proxies;
    this.#what = what;
  }

  /**
   * Calls `authenticate`, and counts its failure, once for all requests that share a look-up: clients that still send a revoked
   * key must not exhaust the limit of their address, so that it could not use a new key.
   *
   * @throws Fault as `check`; what `authenticate` throws
   */
  guard(
    request: IncomingMessage,
    authenticate: () => Caller | Promise<Caller>,
  ): Caller | Promise<Caller> {
    this.check(request);
    const count = (error: unknown): never => {
      if (error instanceof InvalidKey && !this.#counted.has(error)) {
        this.#counted.add(error);
        this.count(request);
      }
      throw error;
    };
    try {
      const found = authenticate();
      return found instanceof Promise ? found.catch(count) : found;
    } catch (error) {
      return count(error);
    }
  }

  /** @throws Fault `rate_limited` if too many look-ups for the client's address have failed */
  check(request: IncomingMessage): void {
    const left = this.#left.get(this.#networkOf(request));
    if (!left || left.refill(performance.now())) return;
    const message = `Too many ${this.#what} were sent from this address.`;
    throw new Fault('rate_limited', message, {
      retryAfterSeconds: left.state().retryAfterSeconds,
    });
  }

  /** Keys that were looked up at the same time may exceed the limit; the excess is subtracted from what is refilled. */
  count(request: IncomingMessage): void {
    if (this.#perMinute === 0) return;
    const network = this.#networkOf(request);
    const now = performance.now();
    let left = this.#left.get(network);
    if (!left)
      this.#left.set(
        network,
        (left = new TokenBucket(this.#perMinute, now, { windowMs: minuteMs })),
      );
    left.takeUsed(1, now);
  }

  #networkOf(request: IncomingMessage): string {
    return networkOf(this.#proxies.addressOf(request));
  }
}
