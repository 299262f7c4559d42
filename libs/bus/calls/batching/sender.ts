import type { Operation } from '@roster/contracts';
import { isolatedPace, OperationQueue } from './operation-queue.js';
import type { PendingCall } from './pending-call.js';

/** How long a workspace stays isolated after its last contended batch. */
const isolatedMs = 10_000;
/** A batch of an isolated workspace that takes longer than this is contended. */
const quickMs = 100;

export type SendBatch = (sender: Sender, calls: PendingCall[], now: number) => void;

/** Flushes the queue of one operation, either of all workspaces or of an isolated one. */
export class Sender {
  readonly queue: OperationQueue;
  /** Name of the workspace. Undefined for the sender of all workspaces that are not isolated. */
  readonly isolated: string | undefined;
  readonly #send: SendBatch;
  #isScheduled = false;
  #hold: NodeJS.Timeout | null = null;
  #contendedAt = 0;

  constructor(operation: Operation, send: SendBatch, isolated?: string) {
    this.isolated = isolated;
    this.queue = new OperationQueue(operation, isolated === undefined ? undefined : isolatedPace);
    this.#send = send;
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
      if (calls.length > 0) this.#send(this, calls, now);
    }
  }

  /** A batch is no longer in flight. */
  finished(sentAt: number): void {
    this.queue.finished();
    if (this.isolated === undefined) return;
    const now = performance.now();
    if (now - sentAt > quickMs) this.contended(now);
  }

  /** Calls of the workspace waited for a lock. */
  contended(now: number): void {
    this.#contendedAt = now;
  }

  /** Other rows of the workspace may be locked even if the last batches were quick. */
  isContended(now: number): boolean {
    return this.queue.inFlight > 0 || now - this.#contendedAt < isolatedMs;
  }
}
