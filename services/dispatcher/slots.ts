export interface SlotLimits {
  /** Attempts under way at once, of all webhooks and of one. */
  totalMax: number;
  perWebhookMax: number;
  /** What webhooks may take together that have not answered of late: the rest is for those that have. */
  slowMax: number;
  /** Deliveries of one webhook that may wait here for a slot; further ones wait in PostgreSQL. */
  waitingMax: number;
  /** How long they wait: while they do, their events stand open, and the stream gives only so many. */
  waitMs: number;
}

interface Lane {
  webhookId: string;
  taken: number;
  waiting: ((admitted: boolean) => void)[];
  /** How long an attempt takes, of late. 0 until one has ended. */
  meanMs: number;
  /** When an attempt has last ended, or the first of those under way began. */
  movedAt: number;
}

/** What ends within this was quick. */
const quickMs = 1000;
const quickRememberedMax = 10_000;

/**
 * How many attempts may be under way: one slow receiver takes its own share and no more, and all slow ones together leave
 * some to the quick. Who cannot be served in time by the speed of late, does not wait for it.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Those in which somebody waits. */
  readonly #queued = new Set<Lane>();
  /** Webhooks whose last answer came quickly, the one remembered longest first. */
  readonly #quick = new Set<string>();
  #total = 0;

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  get max(): number {
    return this.#limits.totalMax;
  }

  get perWebhookMax(): number {
    return this.#limits.perWebhookMax;
  }

  /** Takes a slot, after a short wait if need be; false when too many wait already. Who got one calls `giveBack`. */
  take(webhookId: string): boolean | Promise<boolean> {
    let lane = this.#lanes.get(webhookId);
    if (!lane) {
      lane = { webhookId, taken: 0, waiting: [], meanMs: 0, movedAt: 0 };
      this.#lanes.set(webhookId, lane);
    }
    if (lane.waiting.length === 0 && this.#hasRoom(lane)) {
      this.#fill(lane);
      return true;
    }
    if (lane.waiting.length >= this.#lineMax(lane)) {
      this.#forget(lane);
      return false;
    }
    this.#queued.add(lane);
    return this.#wait(lane);
  }

  /** @param tookMs how long the attempt took, if it was made */
  giveBack(webhookId: string, tookMs?: number): void {
    const lane = this.#lanes.get(webhookId)!;
    if (tookMs !== undefined) {
      lane.meanMs = lane.meanMs === 0 ? tookMs : 0.9 * lane.meanMs + 0.1 * tookMs;
      this.#remember(webhookId, tookMs < quickMs);
    }
    lane.movedAt = performance.now();
    const wasScarce = this.#isScarce;
    lane.taken -= 1;
    this.#total -= 1;
    this.#serve(lane);
    if (wasScarce) for (const queued of this.#queued) this.#serve(queued);
    this.#forget(lane);
  }

  #serve(lane: Lane): void {
    while (lane.waiting.length > 0 && this.#hasRoom(lane)) {
      this.#fill(lane);
      lane.waiting.shift()!(true);
    }
    if (lane.waiting.length === 0) this.#queued.delete(lane);
  }

  #wait(lane: Lane): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        clearTimeout(timer);
        resolve(admitted);
      };
      const timer = setTimeout(() => {
        lane.waiting.splice(lane.waiting.indexOf(settle), 1);
        if (lane.waiting.length === 0) this.#queued.delete(lane);
        lane.meanMs = Math.max(lane.meanMs, quickMs);
        this.#forget(lane);
        settle(false);
      }, this.#limits.waitMs);
      lane.waiting.push(settle);
    });
  }

  /** How many are served, at the speed of late, in the time that they wait. */
  #lineMax({ meanMs }: Lane): number {
    const { waitingMax, perWebhookMax, waitMs } = this.#limits;
    return meanMs === 0 ? waitingMax : Math.min(waitingMax, (perWebhookMax * waitMs) / meanMs);
  }

  get #isScarce(): boolean {
    return this.#total >= this.#limits.slowMax;
  }

  #hasRoom(lane: Lane): boolean {
    if (this.#total >= this.#limits.totalMax || lane.taken >= this.#limits.perWebhookMax)
      return false;
    return !this.#isScarce || this.#isQuick(lane);
  }

  #isQuick({ webhookId, taken, movedAt }: Lane): boolean {
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

  #fill(lane: Lane): void {
    if (lane.taken === 0) lane.movedAt = performance.now();
    lane.taken += 1;
    this.#total += 1;
  }

  #forget({ webhookId, taken, waiting }: Lane): void {
    if (taken === 0 && waiting.length === 0) this.#lanes.delete(webhookId);
  }
}
