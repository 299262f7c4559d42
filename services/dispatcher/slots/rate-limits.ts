import { LRUCache } from 'lru-cache';
import type { KnownWebhook } from '../webhooks/known-webhook.js';

/** A webhook with a maximum rate. Raw IDs. */
export type LimitedWebhook = Pick<KnownWebhook, 'id' | 'workspaceId'> & { ratePerSecond: number };

export interface RateLimitsOptions {
  /** Takes attempts from the bucket that all processes share. */
  grant: (webhook: LimitedWebhook, wanted: number) => Promise<number>;
}

/** Granted attempts of a webhook that this process has not made. Times by `performance.now()`. */
interface Allowance {
  webhook: LimitedWebhook;
  left: number;
  expiresAt: number;
  /** When the shared bucket may have the next attempt. */
  emptyUntil: number;
  /** Until when deliveries are assumed to wait in the queue. */
  queuedUntil: number;
  asking: Promise<void> | undefined;
}

/** A process asks for a tenth of a second of the rate at once, and returns what it does not use: it expires. */
const asksPerSecond = 10;
const expiresMs = 500;
const emptyMsMin = 50;
const queuedMs = 2000;
const refillMs = 50;
/** Above this number, that of the webhook that was used longest ago is dropped, with what it has left. */
const webhooksMax = 10_000;

/**
 * Bounds the attempts per second of webhooks with a `ratePerSecond`. Processes take small numbers of attempts from a bucket in
 * PostgreSQL, so that the rate is that of all together, also after a restart. A delivery without one waits in the queue, and newer
 * ones behind it.
 */
export class RateLimits {
  readonly #options: RateLimitsOptions;
  readonly #allowances = new LRUCache<string, Allowance>({ max: webhooksMax });
  /** Webhooks with deliveries in the queue. */
  readonly #queued = new Map<string, Allowance>();
  #timer: NodeJS.Timeout | undefined;
  #onReady: () => void = () => undefined;

  constructor(options: RateLimitsOptions) {
    this.#options = options;
  }

  /** Sets the function that is called when deliveries in the queue may be attempted. */
  onReady(then: () => void): void {
    this.#onReady = then;
  }

  /** Whether the webhook may be sent one more attempt now. Returns a promise only for webhooks with a rate. */
  take(webhook: KnownWebhook, isFresh: boolean): boolean | Promise<boolean> {
    const { id, workspaceId, ratePerSecond } = webhook;
    if (ratePerSecond === null) return true;
    const allowance = this.#of({ id, workspaceId, ratePerSecond });
    // What waits in the queue is older.
    if (isFresh && performance.now() < allowance.queuedUntil) return false;
    if (this.#use(allowance)) return true;
    if (performance.now() < allowance.emptyUntil) return this.#refuse(allowance);
    return this.#ask(allowance).then(() => this.#use(allowance) || this.#refuse(allowance));
  }

  /** Returns an attempt that was not made. */
  giveBack({ id, ratePerSecond }: KnownWebhook): void {
    const allowance = ratePerSecond === null ? undefined : this.#allowances.get(id);
    if (allowance && performance.now() < allowance.expiresAt) allowance.left += 1;
  }

  /** Seconds until a refused delivery may be attempted. */
  secondsUntilNext(webhookId: string): number {
    const allowance = this.#allowances.get(webhookId);
    return allowance ? Math.max(emptyMsMin, allowance.emptyUntil - performance.now()) / 1000 : 0;
  }

  /** Webhooks of which no row of the queue is claimed, and those of which a single one is. */
  scarce(rowsPerClaim: number): { without: string[]; single: string[] } {
    const without: string[] = [];
    const single: string[] = [];
    for (const [id, allowance] of this.#queued) {
      const left = leftOf(allowance);
      if (left === 0) without.push(id);
      else if (left < rowsPerClaim) single.push(id);
    }
    return { without, single };
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#queued.clear();
  }

  #of(webhook: LimitedWebhook): Allowance {
    const known = this.#allowances.get(webhook.id);
    if (known) {
      known.webhook = webhook;
      return known;
    }
    const allowance: Allowance = {
      webhook,
      left: 0,
      expiresAt: 0,
      emptyUntil: 0,
      queuedUntil: 0,
      asking: undefined,
    };
    this.#allowances.set(webhook.id, allowance);
    return allowance;
  }

  #use(allowance: Allowance): boolean {
    if (leftOf(allowance) === 0) return false;
    allowance.left -= 1;
    if (performance.now() < allowance.queuedUntil) this.#noteQueued(allowance);
    return true;
  }

  #refuse(allowance: Allowance): false {
    this.#noteQueued(allowance);
    return false;
  }

  #noteQueued(allowance: Allowance): void {
    allowance.queuedUntil = performance.now() + queuedMs;
    this.#queued.set(allowance.webhook.id, allowance);
    this.#timer ??= setTimeout(() => void this.#refill(), refillMs);
  }

  /** Takes attempts for what waits in the queue, so that the next claim takes as many rows as may be sent. */
  async #refill(): Promise<void> {
    const now = performance.now();
    const asked: Promise<void>[] = [];
    for (const [id, allowance] of this.#queued) {
      if (now >= allowance.queuedUntil) this.#queued.delete(id);
      else if (leftOf(allowance) === 0 && now >= allowance.emptyUntil)
        asked.push(this.#ask(allowance));
    }
    await Promise.all(asked);
    this.#timer =
      this.#queued.size === 0 ? undefined : setTimeout(() => void this.#refill(), refillMs);
    for (const allowance of this.#queued.values())
      if (leftOf(allowance) > 0) {
        this.#onReady();
        return;
      }
  }

  /** Never rejects: without an answer nothing is granted. */
  #ask(allowance: Allowance): Promise<void> {
    allowance.asking ??= this.#grant(allowance).finally(() => (allowance.asking = undefined));
    return allowance.asking;
  }

  async #grant(allowance: Allowance): Promise<void> {
    const { ratePerSecond } = allowance.webhook;
    const wanted = Math.ceil(ratePerSecond / asksPerSecond);
    const granted = await this.#options.grant(allowance.webhook, wanted).catch(() => 0);
    const now = performance.now();
    allowance.left = leftOf(allowance) + granted;
    if (granted > 0) allowance.expiresAt = now + expiresMs;
    else allowance.emptyUntil = now + Math.max(emptyMsMin, 500 / ratePerSecond);
  }
}

const leftOf = ({ left, expiresAt }: Allowance): number =>
  performance.now() < expiresAt ? left : 0;
