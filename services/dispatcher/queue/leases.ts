import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/process';
import type { Delivery } from '../delivery/delivery.js';
import type { Queue } from './queue.js';

export interface LeasesOptions {
  queue: Pick<Queue, 'renew'>;
  leaseSeconds: number;
  log: Log;
}

/**
 * The leases of the deliveries that this process attempts. They are short, so that another process takes the deliveries of a dead
 * one over soon, and are renewed for as long as an attempt lasts.
 */
export class Leases {
  readonly #options: LeasesOptions;
  readonly #everyMs: number;
  readonly #held = new Map<string, Delivery>();
  readonly #timer: NodeJS.Timeout;
  #renewedAt = 0;
  #renewing: Promise<void> | undefined;

  constructor(options: LeasesOptions) {
    this.#options = options;
    this.#everyMs = (options.leaseSeconds * 1000) / 3;
    const failures = new FailureLog(options.log, 'failed to renew the leases of deliveries');
    this.#timer = setInterval(
      () => void this.renew().catch((error: unknown) => failures.warn(error)),
      this.#everyMs,
    );
  }

  hold(delivery: Delivery): void {
    this.#held.set(delivery.id, delivery);
  }

  drop(delivery: Delivery): void {
    if (this.#held.get(delivery.id) === delivery) this.#held.delete(delivery.id);
  }

  /**
   * Whether this process attempts the claimed delivery already: its lease had ended. The attempt in flight then has the new lease. A
   * manual retry is another attempt.
   */
  takeOver({ id, trigger, attempts, lease }: Delivery): boolean {
    const held = this.#held.get(id);
    if (held?.trigger !== trigger || held.attempts !== attempts) return false;
    held.lease = lease!;
    return true;
  }

  /** Renews all leases, unless that was done recently. A process that did not run for a while would otherwise claim its own deliveries. */
  renew(): Promise<void> {
    const now = performance.now();
    // A timer may fire early.
    if (this.#held.size === 0 || now - this.#renewedAt < this.#everyMs / 2)
      return this.#renewing ?? Promise.resolve();
    return this.renewNow();
  }

  /** Renews all leases. Fails if PostgreSQL is unreachable, also if this process has none. */
  renewNow(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => (this.#renewing = undefined));
    return this.#renewing;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async #renew(): Promise<void> {
    const now = performance.now();
    const { queue, leaseSeconds } = this.#options;
    await queue.renew([...this.#held.values()], leaseSeconds);
    this.#renewedAt = now;
  }
}
