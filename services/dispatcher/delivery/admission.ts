import type { Attempt } from '../attempt/attempt.js';
import type { Circuits } from './circuits.js';
import type { Slots } from './slots.js';
import type { KnownWebhook } from './webhooks-service.js';

/** The right to one attempt, returned by `leave`. A probe is the only attempt on a half-open circuit. */
export type Ticket = 'regular' | 'probe';

/** Why a delivery cannot be attempted now. `busy`: its circuit is open, or no slot is free. */
export type Refusal = 'disabled' | 'unsigned' | 'busy';

export interface AdmissionOptions {
  circuits: Circuits;
  slots: Slots;
  /** Whether a delivery may be the probe of a half-open circuit. */
  mayProbe: boolean;
}

/** Decides whether a delivery may be attempted now: its webhook is enabled, its token is readable, its circuit lets it pass, a slot is free. */
export class Admission {
  readonly #options: AdmissionOptions;

  constructor(options: AdmissionOptions) {
    this.#options = options;
  }

  /** A promise only where it waits for a slot. The holder of a ticket calls `leave`. */
  enter(webhook: KnownWebhook): Ticket | Refusal | Promise<Ticket | Refusal> {
    const { circuits, slots, mayProbe } = this.#options;
    if (webhook.disabledReason !== null) return 'disabled';
    if (webhook.token === null) return 'unsigned';
    const ticket = circuits.admit(webhook.id, mayProbe);
    if (ticket === undefined) return 'busy';
    const slot = slots.take(webhook.id);
    if (slot === true) return ticket;
    return slot === false
      ? this.#withoutSlot(webhook.id, ticket)
      : this.#wait(webhook.id, ticket, slot);
  }

  /**
   * @param attempt what came of it; undefined when it was not made
   * @returns whether a webhook whose circuit was open works again
   */
  leave(webhookId: string, ticket: Ticket, attempt?: Attempt): boolean {
    const { circuits, slots } = this.#options;
    slots.giveBack(webhookId, attempt?.totalMs);
    if (attempt) return circuits.note(webhookId, attempt);
    if (ticket === 'probe') circuits.release(webhookId);
    return false;
  }

  /** Seconds until a refused delivery of the webhook may be attempted; 0 when only slots are taken. */
  secondsUntilOpen(webhookId: string): number {
    return this.#options.circuits.secondsUntilProbe(webhookId);
  }

  async #wait(
    webhookId: string,
    ticket: Ticket,
    slot: Promise<boolean>,
  ): Promise<Ticket | Refusal> {
    if (!(await slot)) return this.#withoutSlot(webhookId, ticket);
    const { circuits, slots } = this.#options;
    // The circuit may have opened meanwhile.
    if (ticket === 'probe' || circuits.isClosed(webhookId)) return ticket;
    slots.giveBack(webhookId);
    return 'busy';
  }

  #withoutSlot(webhookId: string, ticket: Ticket): Refusal {
    if (ticket === 'probe') this.#options.circuits.release(webhookId);
    return 'busy';
  }
}
