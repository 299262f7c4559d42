import type { Bus } from '@roster/bus';
import { Fault, type Caller } from '@roster/contracts';
import { Counter, Gauge, type Registry } from 'prom-client';

/** One that is open, whatever carries it. */
export interface LiveSubscription {
  caller: Caller;
  /** Whether its key still holds. */
  recheck(): Promise<void>;
  end(fault: Fault): void;
}

const perKeyMax = 100;
/** How often keys are looked at again: they may expire, and a broadcast may be lost while NATS is away. */
const recheckMs = 5000;

/** Every subscription of this process: bounded in number, ended when its key is revoked or the process stops. */
export class LiveSubscriptions {
  readonly #max: number;
  readonly #open = new Set<LiveSubscription>();
  readonly #release: (() => void)[] = [];
  readonly #ended: Counter<'code'>;
  #stopping = false;

  constructor(bus: Bus, metrics: Registry, max: number) {
    this.#max = max;
    const open = this.#open;
    new Gauge({
      name: 'roster_graphql_subscriptions',
      help: 'Number of open subscriptions.',
      registers: [metrics],
      collect() {
        this.set(open.size);
      },
    });
    this.#ended = new Counter({
      name: 'roster_graphql_subscriptions_ended_total',
      help: 'Subscriptions ended by the gateway, by reason.',
      labelNames: ['code'],
      registers: [metrics],
    });
    const timer = setInterval(() => void this.#recheckAll(), recheckMs);
    this.#release.push(() => clearInterval(timer));
    this.#release.push(
      bus.listen('keys.revoked', ({ keyId }) => {
        for (const one of this.#open) if (one.caller.keyId === keyId) one.end(revoked());
      }),
      bus.link.onChange((up) => void (up && this.#recheckAll())),
    );
  }

  /**
   * @returns how to leave
   * @throws Fault `unavailable` when there are too many, or the process stops; `rate_limited` when the key has too many
   */
  join(subscription: LiveSubscription): () => void {
    if (this.#stopping) throw stopping();
    if (this.#open.size >= this.#max)
      throw new Fault('unavailable', 'Too many subscriptions are open. Try again later.', {
        retryAfterSeconds: 5,
      });
    const { keyId } = subscription.caller;
    let ofKey = 0;
    for (const { caller } of this.#open) if (caller.keyId === keyId) ofKey += 1;
    if (ofKey >= perKeyMax)
      throw new Fault(
        'rate_limited',
        `An API key can have at most ${perKeyMax} open subscriptions.`,
        {
          retryAfterSeconds: 5,
        },
      );
    this.#open.add(subscription);
    return () => this.#open.delete(subscription);
  }

  /** Counts one that was told why it ends. */
  ended({ code }: Fault): void {
    this.#ended.inc({ code });
  }

  /** Ends all, telling why, and admits no more. */
  stop(): void {
    this.#stopping = true;
    for (const release of this.#release) release();
    for (const one of this.#open) one.end(stopping());
  }

  async #recheckAll(): Promise<void> {
    await Promise.all(
      [...this.#open].map(async (one) => {
        try {
          await one.recheck();
        } catch (error) {
          // Others, such as a service that is away, say nothing about the key.
          if (error instanceof Fault && error.code === 'unauthenticated') one.end(revoked());
        }
      }),
    );
  }
}

const revoked = () => new Fault('unauthenticated', 'The API key was revoked or has expired.');
const stopping = () =>
  new Fault('unavailable', 'The gateway is shutting down. Subscribe again.', {
    retryAfterSeconds: 1,
  });
