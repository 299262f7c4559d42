import type { Operation } from '@roster/contracts';
import { OperationQueue, type PendingCall } from './operation-queue.js';

/** Flushes the queue of one operation. */
export class Sender {
  readonly queue: OperationQueue;
  /** Number of batches in flight that NATS has denied. */
  denials = 0;
  readonly #send: (calls: PendingCall[], now: number) => void;
  #isScheduled = false;
  #hold: NodeJS.Timeout | null = null;

  constructor(
    operation: Operation,
    send: (sender: Sender, calls: PendingCall[], now: number) => void,
  ) {
    this.queue = new OperationQueue(operation);
    this.#send = (calls, now) => send(this, calls, now);
  }

  /**
   * Flushes the queue at the end of this turn of the event loop, so that all its calls are sent together. On an idle system
   * a batch has one call and is not delayed.
   */
  schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    if (this.#hold) clearTimeout(this.#hold);
    this.#hold = null;
    while (this.queue.length > 0) {
      const now = performance.now();
      const holdMs = this.queue.holdMs(now);
      if (holdMs > 0) {
        this.#hold = setTimeout(() => this.#flush(), holdMs);
        return;
      }
      const calls = this.queue.take(now);
      if (calls.length > 0) this.#send(calls, now);
    }
  }
}
