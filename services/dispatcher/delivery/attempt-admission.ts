import type { Attempt } from '../attempt/attempt.js';
import type { CircuitChange, Circuits } from './circuits.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';
import type { RateLimits } from '../slots/rate-limits.js';
import type { Slots } from '../slots/slots.js';
import type { Targets } from '../slots/targets.js';

/** Permission for one attempt, given back with `leave`. A probe is the only attempt on a half-open circuit. */
export type Ticket = 'regular' | 'probe';

/**
 * Why a delivery cannot be attempted now. `unsigned`: its token or its own headers cannot be decrypted; `held`: its workspace is
 * suspended; `busy`: its circuit is open, or no slot is free; `limited`: its rate is reached.
 */
export type Refusal = 'disabled' | 'held' | 'unsigned' | 'busy' | 'limited';

export interface AttemptAdmissionOptions {
  circuits: Circuits;
  slots: Slots;
  targets: Targets;
  rates: Pick<RateLimits, 'take' | 'giveBack' | 'secondsUntilNext'>;
  /** Whether a delivery may be the probe of a half-open circuit. */
  mayProbe: boolean;
}

/** Decides whether a delivery may be attempted now: its webhook is enabled, its token is readable, its circuit admits it, its rate is not reached, a slot is free. */
export class AttemptAdmission {
  readonly #options: AttemptAdmissionOptions;

  constructor(options: AttemptAdmissionOptions) {
    this.#options = options;
  }

  /** Returns a promise only if the delivery waits for a slot, or its webhook has a rate. The caller must call `leave` for a ticket. */
  enter(webhook: KnownWebhook): Ticket | Refusal | Promise<Ticket | Refusal> {
    const { circuits, rates, mayProbe } = this.#options;
    if (webhook.disabledReason !== null) return 'disabled';
    if (webhook.isHeld) return 'held';
    if (webhook.token === null || webhook.headers === null) return 'unsigned';
    const ticket = circuits.admit(webhook.id, mayProbe);
    if (ticket === undefined) return 'busy';
    // The lane that may probe is that of the queue.
    const isAllowed = rates.take(webhook, !mayProbe);
    if (isAllowed === true) return this.#reserve(webhook, ticket);
    if (isAllowed === false) return this.#withoutRate(webhook, ticket);
    return isAllowed.then((is) =>
      is ? this.#reserve(webhook, ticket) : this.#withoutRate(webhook, ticket),
    );
  }

  /** Whether the attempt may connect to this address. */
  mayConnect(webhook: KnownWebhook, address: string): boolean {
    return this.#options.targets.reach(webhook, address);
  }

  /**
   * @param attempt undefined if it was not made
   * @returns what the attempt changed of the circuit
   */
  leave(webhook: KnownWebhook, ticket: Ticket, attempt?: Attempt): CircuitChange | undefined {
    const { circuits, slots, targets, rates } = this.#options;
    if (!attempt) rates.giveBack(webhook);
    slots.giveBack(webhook, attempt?.totalMs);
    if (attempt?.address) targets.learn(webhook.url, attempt.address);
    if (attempt) return circuits.note(webhook.id, attempt);
    if (ticket === 'probe') circuits.returnProbe(webhook.id);
    return undefined;
  }

  /** As `leave`, for an attempt that was not made because too many connections to the address are open. */
  leaveBusy(webhook: KnownWebhook, ticket: Ticket, address: string): void {
    const { targets } = this.#options;
    this.leave(webhook, ticket);
    targets.learn(webhook.url, address);
    targets.refuse(webhook);
  }

  /** Seconds until a refused delivery of the webhook may be attempted; 0 if only a slot is missing. */
  secondsUntilOpen(webhookId: string): number {
    return this.#options.circuits.secondsUntilProbe(webhookId);
  }

  /** Seconds until a delivery may be attempted that was refused because of the rate of its webhook. */
  secondsUntilNext(webhookId: string): number {
    return this.#options.rates.secondsUntilNext(webhookId);
  }

  #reserve(webhook: KnownWebhook, ticket: Ticket): Ticket | Refusal | Promise<Ticket | Refusal> {
    const slot = this.#options.slots.reserve(webhook);
    if (slot === true) return ticket;
    return slot === false ? this.#withoutSlot(webhook, ticket) : this.#wait(webhook, ticket, slot);
  }

  #withoutRate(webhook: KnownWebhook, ticket: Ticket): Refusal {
    if (ticket === 'probe') this.#options.circuits.returnProbe(webhook.id);
    return 'limited';
  }

  async #wait(
    webhook: KnownWebhook,
    ticket: Ticket,
    slot: Promise<boolean>,
  ): Promise<Ticket | Refusal> {
    if (!(await slot)) return this.#withoutSlot(webhook, ticket);
    const { circuits, slots, rates } = this.#options;
    // The circuit may have opened meanwhile.
    if (ticket === 'probe' || circuits.isClosed(webhook.id)) return ticket;
    slots.giveBack(webhook);
    rates.giveBack(webhook);
    return 'busy';
  }

  #withoutSlot(webhook: KnownWebhook, ticket: Ticket): Refusal {
    const { circuits, targets, rates } = this.#options;
    rates.giveBack(webhook);
    if (ticket === 'probe') circuits.returnProbe(webhook.id);
    targets.refuse(webhook);
    return 'busy';
  }
}
