import type { OperationName } from '@roster/contracts';
import { FifoQueue } from '../../http/admission/fifo-queue.js';

/** Maximum number of calls in a batch of reads. */
const readsMax = 256;
/** Operations with results of megabytes: a page of contacts with all their properties. */
const pagesMax: Partial<Record<OperationName, number>> = {
  'contacts.page': 4,
  'contacts.find': 4,
};

/** Bounds the reads of one request in flight by operation, because the size of a result is known only when it has arrived. */
export class ReadsInFlight {
  readonly #free = new Map<OperationName, number>();
  readonly #waiting = new Map<OperationName, FifoQueue<() => void>>();

  /** Undefined if the read can be sent immediately, in the batch of this turn of the event loop. `leave` ends it. */
  enter(name: OperationName): Promise<void> | undefined {
    const free = this.#free.get(name) ?? pagesMax[name] ?? readsMax;
    if (free > 0) return void this.#free.set(name, free - 1);
    let waiting = this.#waiting.get(name);
    if (!waiting) this.#waiting.set(name, (waiting = new FifoQueue()));
    return new Promise((resolve) => waiting.push(resolve));
  }

  leave(name: OperationName): void {
    const next = this.#waiting.get(name)?.take();
    if (next) next();
    else this.#free.set(name, this.#free.get(name)! + 1);
  }
}
