import type { Bus } from '@roster/bus';
import { Fault, type Caller } from '@roster/contracts';
import { Shares } from '../../http/shares.js';
import type { KeyVerifier } from '../../operations/key-verifier.js';
import { subscriptionLimits, workspaceShare } from './subscription-limits.js';
import { Counter, Gauge, type Registry } from 'prom-client';

/** An open subscription over any transport. */
export interface LiveSubscription {
  caller: Caller;
  /** @throws Fault `unauthenticated` if the key or token is no longer valid; faults of the bus */
  recheck(): Promise<void>;
  end(fault: Fault): void;
}

/** How often keys are verified again, because they may expire, and a broadcast may be lost while NATS is disconnected. */
const recheckMs = 5000;

/** All open subscriptions of this process: bounds their number, and ends them when the key is revoked or the process stops. */
export class LiveSubscriptions {
  readonly #byWorkspace: Shares;
  readonly #byKey = new Shares(Infinity, subscriptionLimits.perKey);
  readonly #open = new Set<LiveSubscription>();
  readonly #release: (() => void)[] = [];
  readonly #ended: Counter<'code'>;
  #stopping = false;

  constructor(bus: Bus, keys: KeyVerifier, metrics: Registry, max: number) {
    this.#byWorkspace = new Shares(max, workspaceShare(max));
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
      keys.onRevoked(({ keyId, isValid }) => {
        // The previous secret of a rotated key remains valid, and is verified again in time.
        if (isValid) return;
        for (const one of this.#open) if (one.caller.keyId === keyId) this.#endRevoked(one);
      }),
      keys.onSuspended((workspaceId) => {
        const own = [...this.#open].filter((one) => one.caller.workspaceId === workspaceId);
        void this.#recheckAll(own);
      }),
      bus.link.onChange((up) => void (up && this.#recheckAll())),
    );
  }

  /**
   * @returns a function that removes the subscription
   * @throws Fault `unavailable` at the limit or if the process is stopping; `rate_limited` at the limit of the key or workspace
   */
  join(subscription: LiveSubscription): () => void {
    if (this.#stopping) throw stopping();
    if (this.#byWorkspace.isFull)
      throw new Fault('unavailable', 'Too many subscriptions are open. Try again later.', {
        retryAfterSeconds: 5,
      });
    const { keyId, workspaceId } = subscription.caller;
    if (!this.#byKey.tryTake(keyId))
      throw tooMany(`An API key can have at most ${subscriptionLimits.perKey} open subscriptions.`);
    if (!this.#byWorkspace.tryTake(workspaceId)) {
      this.#byKey.give(keyId);
      throw tooMany('The workspace has too many open subscriptions.');
    }
    this.#open.add(subscription);
    return () => {
      if (!this.#open.delete(subscription)) return;
      this.#byKey.give(keyId);
      this.#byWorkspace.give(workspaceId);
    };
  }

  /** Counts a subscription that was ended with a fault. */
  ended({ code }: Fault): void {
    this.#ended.inc({ code });
  }

  /** Ends all subscriptions with a last result that contains the reason, and admits no more. */
  stop(): void {
    this.#stopping = true;
    for (const release of this.#release) release();
    for (const one of this.#open) one.end(stopping());
  }

  /** Browser tokens of the key are verified again: they remain valid if its secret was replaced without an overlap. */
  #endRevoked(subscription: LiveSubscription): void {
    if (!subscription.caller.token) return subscription.end(revoked());
    // Otherwise a revoked key would keep its subscriptions while keys cannot be verified.
    void this.#recheck(subscription, () => true);
  }

  async #recheckAll(subscriptions: Iterable<LiveSubscription> = this.#open): Promise<void> {
    // Other faults, such as an unavailable service, do not concern the key.
    const isInvalid = ({ code }: Fault) =>
      code === 'unauthenticated' || code === 'workspace_suspended';
    await Promise.all([...subscriptions].map((one) => this.#recheck(one, isInvalid)));
  }

  async #recheck(subscription: LiveSubscription, endsWith: (fault: Fault) => boolean) {
    try {
      await subscription.recheck();
    } catch (error) {
      if (error instanceof Fault && endsWith(error)) subscription.end(error);
    }
  }
}

const tooMany = (message: string) => new Fault('rate_limited', message, { retryAfterSeconds: 5 });
const revoked = () => new Fault('unauthenticated', 'The API key was revoked or has expired.');
const stopping = () =>
  new Fault('unavailable', 'The gateway is shutting down. Subscribe again.', {
    retryAfterSeconds: 1,
  });
