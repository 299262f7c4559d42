export interface SlotLimits {
  /** Attempts under way at once, of all webhooks and of one. */
  totalMax: number;
  perWebhookMax: number;
  /** Deliveries of one webhook that may wait here for a slot; further ones wait in PostgreSQL. */
  waitingMax: number;
  /** How long they wait: while they do, their events stand open, and the stream gives only so many. */
  waitMs: number;
}

interface Lane {
  taken: number;
  waiting: ((admitted: boolean) => void)[];
}

/** How many attempts may be under way: one slow receiver takes its own share and no more. */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Those in which somebody waits. */
  readonly #queued = new Set<Lane>();
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
  async take(webhookId: string): Promise<boolean> {
    const lane = this.#lanes.get(webhookId) ?? { taken: 0, waiting: [] };
    this.#lanes.set(webhookId, lane);
    if (this.#hasRoom(lane) && lane.waiting.length === 0) {
      this.#fill(lane);
      return true;
    }
    if (lane.waiting.length >= this.#limits.waitingMax) {
      this.#forget(webhookId, lane);
      return false;
    }
    this.#queued.add(lane);
    return this.#wait(lane);
  }

  #wait(lane: Lane): Promise<boolean> {
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        clearTimeout(timer);
        resolve(admitted);
      };
      const timer = setTimeout(() => {
        lane.waiting.splice(lane.waiting.indexOf(settle), 1);
        settle(false);
      }, this.#limits.waitMs);
      lane.waiting.push(settle);
    });
  }

  giveBack(webhookId: string): void {
    const lane = this.#lanes.get(webhookId)!;
    lane.taken -= 1;
    this.#total -= 1;
    for (const queued of this.#queued) {
      while (queued.waiting.length > 0 && this.#hasRoom(queued)) {
        this.#fill(queued);
        queued.waiting.shift()!(true);
      }
      if (queued.waiting.length === 0) this.#queued.delete(queued);
    }
    this.#forget(webhookId, lane);
  }

  #hasRoom(lane: Lane): boolean {
    return this.#total < this.#limits.totalMax && lane.taken < this.#limits.perWebhookMax;
  }

  #fill(lane: Lane): void {
    lane.taken += 1;
    this.#total += 1;
  }

  #forget(webhookId: string, lane: Lane): void {
    if (lane.taken === 0 && lane.waiting.length === 0) this.#lanes.delete(webhookId);
  }
}
