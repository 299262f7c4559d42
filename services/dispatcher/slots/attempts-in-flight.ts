import { LRUCache } from 'lru-cache';
import type { Recipient } from '../webhooks/known-webhook.js';
import type { Speed } from './target.js';
import { Targets } from './targets.js';

/** A shorter attempt is quick. */
export const quickMs = 1000;
/** Webhooks whose last attempt is remembered. */
const rememberedMax = 10_000;

export interface InFlightLimits {
  perWebhookMax: number;
  /** Attempts to one address, and to one host name. */
  perTargetMax: number;
}

/** The attempts of one webhook. */
interface Attempts {
  taken: number;
  /** When the last attempt ended, or the first of those in flight began. */
  movedAt: number;
}

/** Attempts in flight of each webhook and to each target, in both lanes together. */
export class AttemptsInFlight {
  readonly perWebhookMax: number;
  readonly targets: Targets;
  /** How long the last attempt of each webhook took. */
  readonly #tookMs = new LRUCache<string, number>({ max: rememberedMax });
  readonly #attempts = new Map<string, Attempts>();
  readonly #listeners: ((recipient: Recipient) => void)[] = [];

  constructor({ perWebhookMax, perTargetMax }: InFlightLimits) {
    this.perWebhookMax = perWebhookMax;
    this.targets = new Targets(perTargetMax, (webhookId) => this.speedOf(webhookId));
  }

  of(webhookId: string): number {
    return this.#attempts.get(webhookId)?.taken ?? 0;
  }

  webhooks(): Iterable<string> {
    return this.#attempts.keys();
  }

  /** A webhook is slow if its last attempt was, or if attempts are in flight and none has ended recently. */
  speedOf(webhookId: string): Speed {
    const attempts = this.#attempts.get(webhookId);
    if (attempts && performance.now() - attempts.movedAt >= quickMs) return 'slow';
    const tookMs = this.#tookMs.get(webhookId);
    if (tookMs === undefined) return 'unknown';
    return tookMs < quickMs ? 'quick' : 'slow';
  }

  add(recipient: Recipient): void {
    const { id } = recipient;
    const attempts = this.#attempts.get(id);
    if (attempts) attempts.taken += 1;
    else this.#attempts.set(id, { taken: 1, movedAt: performance.now() });
    this.targets.add(recipient);
  }

  /** @param tookMs duration of the attempt, if it was made */
  remove(recipient: Recipient, tookMs?: number): void {
    const { id } = recipient;
    const attempts = this.#attempts.get(id)!;
    attempts.taken -= 1;
    attempts.movedAt = performance.now();
    if (attempts.taken === 0) this.#attempts.delete(id);
    if (tookMs !== undefined) this.#tookMs.set(id, tookMs);
    this.targets.remove(recipient);
    for (const freed of this.#listeners) freed(recipient);
  }

  /** Calls `then` after every attempt. Listeners are called in the order in which they were added. */
  onFreed(then: (recipient: Recipient) => void): void {
    this.#listeners.push(then);
  }
}
