import { randomFillSync } from 'node:crypto';
import { counterMax, timeOfId } from '@roster/contracts';

/**
 * Strictly increasing UUIDs of version 7 (RFC 9562): milliseconds, a counter of 12 bits, 62 random bits. The counter is below a
 * thousand, and shown as microseconds (see `instantOfId`). `after` moves the clock past IDs of other processes, like a hybrid
 * logical clock. The time of an ID may therefore be later than that of the process.
 */
export class IdClock {
  #lastMs = 0;
  #counter = 0;
  readonly #random = Buffer.alloc(8 * 256);
  #randomAt = this.#random.length;
  readonly #now: () => number;

  /** @param now milliseconds since the epoch */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  next(): string {
    const now = this.#now();
    if (now > this.#lastMs) {
      this.#lastMs = now;
      this.#counter = 0;
    } else if (++this.#counter > counterMax) {
      this.#lastMs += 1;
      this.#counter = 0;
    }
    if (this.#randomAt === this.#random.length) {
      randomFillSync(this.#random);
      this.#randomAt = 0;
    }
    const random = this.#random.toString('hex', this.#randomAt, (this.#randomAt += 8));
    const time = this.#lastMs.toString(16).padStart(12, '0');
    const counter = this.#counter.toString(16).padStart(3, '0');
    const variant = ((Number.parseInt(random[0]!, 16) & 3) | 8).toString(16);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${counter}-${variant}${random.slice(1, 4)}-${random.slice(4)}`;
  }

  /** Makes the next ID greater than this one. */
  after(id: string): void {
    const ms = timeOfId(id);
    if (ms < this.#lastMs) return;
    const counter = Number.parseInt(id.slice(15, 18), 16);
    this.#counter = ms === this.#lastMs ? Math.max(this.#counter, counter) : counter;
    this.#lastMs = ms;
  }
}
