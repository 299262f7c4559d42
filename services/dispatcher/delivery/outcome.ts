import type { Attempt } from '../attempt/attempt.js';
import type { Delivery, DeliveryStatus } from './delivery.js';

/** What is recorded of a delivery. */
export interface Outcome {
  delivery: Delivery;
  /** Undefined if nothing was sent: the delivery was skipped or postponed. */
  attempt?: Attempt;
  status: DeliveryStatus;
  /** Why it is dead or skipped, or why it waits, unless it waits for its schedule. */
  reason?: string;
  /** Delay until it is due, for `pending`. `Infinity` parks a claimed delivery until its webhook is enabled. */
  dueInSeconds?: number;
}
