import { quickMs, type AttemptsInFlight } from './attempts-in-flight.js';
import { Counts, fairShare } from './fair-share.js';
import type { Recipient } from '../webhooks/known-webhook.js';

export interface SlotLimits {
  /** Attempts in flight, of all webhooks. */
  totalMax: number;
  /** Slots that any webhook may take: the others are reserved for quick webhooks. */
  slowMax: number;
  /** Slots of a webhook that this lane leaves to the other. */
  yielded: number;
  /** Deliveries of one webhook, and of all, that may wait in memory for a slot. Others wait in PostgreSQL. */
  waitingMax: number;
  waitingTotalMax: number;
  /** How long they wait. Meanwhile their events count towards the consumer's limit of unacknowledged events. */
  waitMs: number;
}

/** The slots of one webhook. */
interface Share {
  recipient: Recipient;
  taken: number;
  waiting: ((admitted: boolean) => void)[];
  /** Mean duration of recent attempts. 0 until one has ended. */
  meanMs: number;
}

/**
 * Bounds the attempts in flight: of each webhook, to each target, and in total. Workspaces share the slots, and are served in turn
 * when they wait. Slow webhooks, however many, leave a part of the slots to quick ones. A delivery does not wait for a slot if the
 * estimated wait exceeds the limit.
 */
export class Slots {
  readonly #limits: SlotLimits;
  readonly #inFlight: AttemptsInFlight;
  readonly #shares = new Map<string, Share>();
  /** By workspace, the shares of webhooks with waiting deliveries. Workspaces and shares are in the order in which they are served. */
  readonly #queued = new Map<string, Set<Share>>();
  /** Slots in use, and waiting deliveries, by workspace. */
  readonly #taken = new Counts();
  readonly #waiting = new Counts();
  #takenTotal = 0;
  #waitingTotal = 0;

  /** @param inFlight shared by the lanes that send to the same webhooks */
  constructor(limits: SlotLimits, inFlight: AttemptsInFlight) {
    this.#limits = limits;
    this.#inFlight = inFlight;
    inFlight.onFreed(() => this.#serve());
  }

  get max(): number {
    return this.#limits.totalMax;
  }

  /** Slots in use. */
  get taken(): number {
    return this.#takenTotal;
  }

  /** Takes a slot, possibly after a short wait. False if none is free, or too many wait. The caller must give it back. */
  reserve(recipient: Recipient): boolean | Promise<boolean> {
    let share = this.#shares.get(recipient.id);
    if (!share) {
      share = { recipient, taken: 0, waiting: [], meanMs: 0 };
      this.#shares.set(recipient.id, share);
    }
    share.recipient = recipient;
    if (share.waiting.length === 0 && this.#hasRoom(share)) {
      this.#fill(share, recipient);
      return true;
    }
    if (!this.#mayWait(share)) {
      this.#forget(share);
      return false;
    }
    return this.#wait(share, recipient);
  }

  /** @param tookMs duration of the attempt, if it was made */
  giveBack(recipient: Recipient, tookMs?: number): void {
    const share = this.#shares.get(recipient.id)!;
    if (tookMs !== undefined)
      share.meanMs = share.meanMs === 0 ? tookMs : 0.9 * share.meanMs + 0.1 * tookMs;
    share.taken -= 1;
    this.#takenTotal -= 1;
    this.#taken.add(recipient.workspaceId, -1);
    this.#inFlight.remove(recipient, tookMs);
    this.#forget(share);
  }

  /** Serves one delivery of each workspace in turn while slots are free. */
  #serve(): void {
    for (let isServed = this.#queued.size > 0; isServed;) {
      isServed = false;
      for (const [workspaceId, shares] of [...this.#queued]) {
        const next = [...shares].find((share) => this.#hasRoom(share));
        if (!next) continue;
        isServed = true;
        next.waiting.shift()!(true);
        // To the end of the order.
        shares.delete(next);
        if (next.waiting.length > 0) shares.add(next);
        this.#queued.delete(workspaceId);
        if (shares.size > 0) this.#queued.set(workspaceId, shares);
      }
    }
  }

  #wait(share: Share, recipient: Recipient): Promise<boolean> {
    const { workspaceId } = recipient;
    this.#count(workspaceId, 1);
    const shares = this.#queued.get(workspaceId) ?? new Set();
    this.#queued.set(workspaceId, shares.add(share));
    return new Promise((resolve) => {
      const settle = (admitted: boolean) => {
        clearTimeout(timer);
        this.#count(workspaceId, -1);
        if (admitted) this.#fill(share, recipient);
        resolve(admitted);
      };
      const timer = setTimeout(() => {
        share.waiting.splice(share.waiting.indexOf(settle), 1);
        if (share.waiting.length === 0) shares.delete(share);
        if (shares.size === 0 && this.#queued.get(workspaceId) === shares)
          this.#queued.delete(workspaceId);
        share.meanMs = Math.max(share.meanMs, quickMs);
        this.#forget(share);
        settle(false);
      }, this.#limits.waitMs);
      share.waiting.push(settle);
    });
  }

  #count(workspaceId: string, change: number): void {
    this.#waiting.add(workspaceId, change);
    this.#waitingTotal += change;
  }

  /** At most as many deliveries of a webhook as are served within the time limit, at the speed of recent attempts. */
  #mayWait({ recipient, meanMs, waiting }: Share): boolean {
    const { waitingMax, waitingTotalMax, waitMs } = this.#limits;
    const { perWebhookMax } = this.#inFlight;
    const servedMax = meanMs === 0 ? waitingMax : (perWebhookMax * waitMs) / meanMs;
    const own = this.#waiting.of(recipient.workspaceId);
    return (
      waiting.length < Math.min(waitingMax, servedMax) &&
      fairShare(waitingTotalMax - this.#waitingTotal, own) > 0
    );
  }

  #hasRoom({ recipient }: Share): boolean {
    const { totalMax, slowMax, yielded } = this.#limits;
    const { perWebhookMax, targets } = this.#inFlight;
    const left = perWebhookMax - this.#inFlight.of(recipient.id);
    // A webhook with a single slot cannot leave it.
    const isFull = left <= Math.min(yielded, perWebhookMax - 1);
    if (this.#takenTotal >= totalMax || isFull || !targets.hasRoom(recipient)) return false;
    const own = this.#taken.of(recipient.workspaceId);
    const isQuick = this.#inFlight.speedOf(recipient.id) === 'quick';
    // The first slot of a workspace is not reserved.
    return own === 0 || fairShare((isQuick ? totalMax : slowMax) - this.#takenTotal, own) > 0;
  }

  #fill(share: Share, recipient: Recipient): void {
    share.taken += 1;
    this.#takenTotal += 1;
    this.#taken.add(recipient.workspaceId);
    this.#inFlight.add(recipient);
  }

  #forget({ recipient, taken, waiting }: Share): void {
    if (taken === 0 && waiting.length === 0) this.#shares.delete(recipient.id);
  }
}
