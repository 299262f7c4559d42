import { Counts } from './counts.js';
import type { Recipient } from './recipient.js';
import { Targets } from './targets.js';

export interface InFlightLimits {
  perWebhookMax: number;
  /** To one address, and to one host name. */
  perTargetMax: number;
}

/** Attempts in flight of each webhook and to each target, in both lanes together. */
export class AttemptsInFlight {
  readonly perWebhookMax: number;
  readonly targets: Targets;
  readonly #webhooks = new Counts();
  readonly #recipients = new Map<string, Recipient>();
  readonly #listeners: ((recipient: Recipient) => void)[] = [];
  /** Webhooks with due retries that found no slot. */
  #retriesWaiting: ReadonlySet<string> = new Set();

  constructor({ perWebhookMax, perTargetMax }: InFlightLimits) {
    this.perWebhookMax = perWebhookMax;
    this.targets = new Targets(perTargetMax);
  }

  of(webhookId: string): number {
    return this.#webhooks.of(webhookId);
  }

  webhooks(): Iterable<string> {
    return this.#webhooks.keys();
  }

  /** The webhooks with attempts in flight. */
  recipients(): Iterable<Recipient> {
    return this.#recipients.values();
  }

  /** Whether due retries of the webhook wait for a slot. */
  hasRetriesWaiting(webhookId: string): boolean {
    return this.#retriesWaiting.has(webhookId);
  }

  setRetriesWaiting(webhookIds: ReadonlySet<string>): void {
    this.#retriesWaiting = webhookIds;
  }

  add(recipient: Recipient): void {
    this.#webhooks.add(recipient.id);
    this.#recipients.set(recipient.id, recipient);
    this.targets.add(recipient);
  }

  remove(recipient: Recipient): void {
    this.#webhooks.add(recipient.id, -1);
    if (this.of(recipient.id) === 0) this.#recipients.delete(recipient.id);
    this.targets.remove(recipient);
    for (const freed of this.#listeners) freed(recipient);
  }

  /** Calls `then` after every attempt. Listeners are called in the order in which they were added. */
  onFreed(then: (recipient: Recipient) => void): void {
    this.#listeners.push(then);
  }
}
