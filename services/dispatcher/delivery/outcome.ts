import type { Attempt } from '../attempt/attempt.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

/** What is to be recorded of a delivery. */
export interface Outcome {
  delivery: Delivery;
  /** Undefined when nothing was sent: it was skipped, or put off. */
  attempt?: Attempt;
  status: DeliveryStatus;
  /** Why it is dead or skipped, or why it waits when not for its schedule. */
  reason?: string;
  /** When it is due, for `pending`. `Infinity` until its webhook is enabled, for a claimed delivery. */
  dueInSeconds?: number;
}
