import { AttemptsPerWebhook } from './attempts-per-webhook.js';

export interface SlotLimits {
  /** Attempts in flight at once, of all webhooks. */
  totalMax: number;
  /** Attempts in flight of one webhook up to which this lane may begin one: it leaves the rest to the other lane. */
  perWebhookMax: number;
  /** Attempts in flight up to which any webhook may begin one: the rest is for those whose last answer was quick. */
  slowMax: number;
  /** Deliveries of one webhook that may wait here for a slot; further ones wait in PostgreSQL. */
  waitingMax: number;
  /** How long they wait: meanwhile their events are unacknowledged, of which the stream allows only so many. */
  waitMs: number;
}

/** The slots of one webhook. */
interface Share {
  webhookId: string;
  taken: number;
  waiting: ((admitted: boolean) => void)[];
  /** How long recent attempts took. 0 until one has ended. */
  meanMs: number;
  /** When an attempt has last ended, or the first of those in flight began. */
  movedAt: number;
}

/** An attempt that ends within this was quick. */
const quickMs = 1000;
const quickRememberedMax = 10_000;

/**
 * Bounds the attempts in flight, of each webhook and of all. Webhooks that are slow leave some slots, however many they are, to
 * those that are quick. A delivery does not wait for a slot when the estimated wait exceeds the limit.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #perWebhook: AttemptsPerWebhook;
  readonly #shares = new Map<string, Share>();
  /** Those in which a delivery waits. */
  readonly #queued = new Set<Share>();
  /** Webhooks whose last answer came quickly, the one remembered longest first. */
  readonly #quick = new Set<string>();
  #total = 0;

  /** @param perWebhook shared by the lanes that send to the same webhooks */
  constructor(limits: SlotLimits, perWebhook = new AttemptsPerWebhook(limits.perWebhookMax)) {
    this.#limits = limits;
    this.#perWebhook = perWebhook;
    perWebhook.onFreed((webhookId) => {
      const share = this.#shares.get(webhookId);
      if (share) this.#serve(share);
    });
  }

  get max(): number {
    return this.#limits.totalMax;
  }

  /** Slots in use. */
  get taken(): number {
    return this.#total;
  }

  get perWebhookMax(): number {
    return this.#limits.perWebhookMax;
  }

  /** Webhooks with an attempt in flight, in any lane. */
  webhooksInFlight(): Iterable<string> {
    return this.#perWebhook.webhooks();
  }

  /** Calls `then` after an attempt of a webhook has ended, in any lane. */
  onFreed(then: (webhookId: string) => void): void {
    this.#perWebhook.onFreed(then);
  }

  /** Attempts of a webhook that this lane may begin now, as far as its own limit goes. */
  freeOf(webhookId: string): number {
    return this.#limits.perWebhookMax - this.#perWebhook.of(webhookId);
  }

  /** Takes a slot, after a short wait if need be; false when too many wait already. The holder calls `giveBack`. */
  take(webhookId: string): boolean | Promise<boolean> {
    let share = this.#shares.get(webhookId);
    if (!share) {
      share = { webhookId, taken: 0, waiting: [], meanMs: 0, movedAt: 0 };
      this.#shares.set(webhookId, share);
    }
    if (share.waiting.length === 0 && this.#hasRoom(share)) {
      this.#fill(share);
      return true;
    }
    if (share.waiting.length >= this.#lineMax(share)) {
      this.#forget(share);
      return false;
    }
    this.#queued.add(share);
    return this.#wait(share);
  }

  /** @param tookMs how long the attempt took, if it was made */
  giveBack(webhookId: string, tookMs?: number): void {
    const share = this.#shares.get(webhookId)!;
    if (tookMs !== undefined) {
      share.meanMs = share.meanMs === 0 ? tookMs : 0.9 * share.meanMs + 0.1 * tookMs;
      this.#remember(webhookId, tookMs < quickMs);
    }
    share.movedAt = performance.now();
    const wasScarce = this.#isScarce;
    share.taken -= 1;
    this.#total -= 1;
    this.#perWebhook.remove(webhookId);
    if (wasScarce) for (const queued of this.#queued) this.#serve(queued);
    this.#forget(share);
  }

  #serve(share: Share): void {
    while (share.waiting.length > 0 && this.#hasRoom(share)) {
      this.#fill(share);
      share.waiting.shift()!(true);
    }
    if (share.waiting.length === 0) this.#queued.delete(share);
  }

  #wait(share: Share): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        clearTimeout(timer);
        resolve(admitted);
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(settle), 1);
        if (share.waiting.length === 0) this.#queued.delete(share);
        share.meanMs = Math.max(share.meanMs, quickMs);
        this.#forget(share);
        settle(false);
      }, this.#limits.waitMs);
      share.waiting.push(settle);
    });
  }

  /** How many are served within the time limit of waiting, at the speed of recent attempts. */
  #lineMax({ meanMs }: Share): number {
    const { waitingMax, perWebhookMax, waitMs } = this.#limits;
    return meanMs === 0 ? waitingMax : Math.min(waitingMax, (perWebhookMax * waitMs) / meanMs);
  }

  get #isScarce(): boolean {
    return this.#total >= this.#limits.slowMax;
  }

  #hasRoom(share: Share): boolean {
    if (this.#total >= this.#limits.totalMax || this.freeOf(share.webhookId) <= 0) return false;
    return !this.#isScarce || this.#isQuick(share);
  }

  #isQuick({ webhookId, taken, movedAt }: Share): boolean {
    return this.#quick.has(webhookId) && (taken === 0 || performance.now() - movedAt < quickMs);
  }

  #remember(webhookId: string, isQuick: boolean): void {
    this.#quick.delete(webhookId);
    if (!isQuick) return;
    this.#quick.add(webhookId);
    if (this.#quick.size > quickRememberedMax) {
      this.#quick.delete(this.#quick.values().next().value!);
    }
  }

  #fill(share: Share): void {
    if (share.taken === 0) share.movedAt = performance.now();
    share.taken += 1;
    this.#total += 1;
    this.#perWebhook.add(share.webhookId);
  }

  #forget({ webhookId, taken, waiting }: Share): void {
    if (taken === 0 && waiting.length === 0) this.#shares.delete(webhookId);
  }
}
