import type { Delivery } from './delivery.js';
import type { Outcome } from './outcome.js';

/** About as many as events may be in flight in one process. */
const keptMax = 1024;
/** From this number on, attempts in flight could exceed the limit. */
const crowdedMin = keptMax / 2;

/**
 * Outcomes of attempts that could not be recorded. When such a delivery comes again, its outcome is recorded instead of sending
 * it a second time. Above a limit, the oldest are dropped, and their deliveries are sent again.
 */
export class UnrecordedOutcomes {
  readonly #kept = new Map<string, Outcome>();

  keep(outcome: Outcome): void {
    if (!outcome.attempt) return;
    const { id } = outcome.delivery;
    this.#kept.delete(id);
    this.#kept.set(id, outcome);
    if (this.#kept.size > keptMax) this.#kept.delete(this.#kept.keys().next().value!);
  }

  /** Whether further attempts that cannot be recorded could drop outcomes. */
  get isCrowded(): boolean {
    return this.#kept.size >= crowdedMin;
  }

  has({ id }: Delivery): boolean {
    return this.#kept.has(id);
  }

  /** Removes and returns the outcome of the attempt for which the delivery comes again. That of an earlier attempt is dropped. */
  take(delivery: Delivery): Outcome | undefined {
    const kept = this.#kept.get(delivery.id);
    if (!kept) return undefined;
    this.#kept.delete(delivery.id);
    const { attempts, trigger, ownBody } = kept.delivery;
    if (attempts !== delivery.attempts || trigger !== delivery.trigger) return undefined;
    // A delivery that was claimed again has another lease. If its event was delivered again after the payload of its webhook was
    // changed, it has another body: the one that was sent is kept.
    const { ownBody: _, ...again } = delivery;
    return { ...kept, delivery: { ...again, ...(ownBody !== undefined && { ownBody }) } };
  }
}
