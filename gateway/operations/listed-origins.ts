import { steadyNow, type Bus } from '@roster/bus';
import { Fault, isListableOrigin, systemCaller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import type { RequestOrigin } from './key-verification.js';
import { LookUps } from './look-ups.js';

const knownMax = 10_000;
const knownMs = 10_000;
/** Maximum number of look-ups in flight. */
const lookUpsMax = 64;

/**
 * Whether any workspace lists an origin, for requests whose workspace is not known. Answers are cached for seconds, and forgotten
 * when a workspace adds or removes the origin.
 */
export class ListedOrigins {
  readonly #bus: Bus;
  readonly #timeoutMs: number;
  readonly #known = new LRUCache<string, boolean>({ max: knownMax, ttl: knownMs });
  readonly #lookUps = new LookUps<boolean>();
  readonly #release: (() => void)[] = [];

  constructor(bus: Bus, timeoutMs: number) {
    this.#bus = bus;
    this.#timeoutMs = timeoutMs;
    this.#release.push(
      bus.listen('origins.changed', ({ origins }) => {
        for (const origin of origins) this.#forget(origin);
      }),
      // Changes may have been missed while NATS was disconnected.
      bus.link.onChange((up) => {
        if (!up) return;
        this.#known.clear();
        this.#lookUps.forgetAll();
      }),
    );
  }

  /** Undefined if it must be looked up. */
  cached(origin: string): boolean | undefined {
    return isListableOrigin(origin) ? this.#known.get(origin) : false;
  }

  /**
   * Concurrent requests of an origin share one look-up.
   *
   * @throws Fault `unavailable` if too many origins are looked up; faults of the bus
   */
  lookUp(origin: string, ids: Omit<RequestOrigin, 'address'>): Promise<boolean> {
    if (this.#lookUps.size >= lookUpsMax && !this.#lookUps.has(origin))
      return Promise.reject(tooManyLookUps());
    return this.#lookUps.share(
      origin,
      () => this.#fetch(origin, ids),
      (isListed) => this.#known.set(origin, isListed),
    );
  }

  close(): void {
    for (const release of this.#release) release();
  }

  #forget(origin: string): void {
    this.#known.delete(origin);
    this.#lookUps.forget(origin);
  }

  async #fetch(
    origin: string,
    { requestId, traceparent, tracestate }: Omit<RequestOrigin, 'address'>,
  ): Promise<boolean> {
    const deadline = steadyNow() + this.#timeoutMs;
    const context = { caller: systemCaller, requestId, traceparent, tracestate, deadline };
    return (await this.#bus.call('origins.check', { origin }, context)).isListed;
  }
}

const tooManyLookUps = () =>
  new Fault('unavailable', 'Too many origins are being looked up. Try again later.', {
    retryAfterSeconds: 1,
  });
