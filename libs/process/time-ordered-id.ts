import { randomFillSync } from 'node:crypto';

/**
 * Strictly increasing UUIDs of version 7 (RFC 9562): milliseconds, a 12-bit counter, 62 random bits. `after` moves the clock
 * past IDs of other processes, like a hybrid logical clock.
 */
export class IdClock {
  #lastMs = 0;
  #counter = 0;
  readonly #random = Buffer.alloc(8 * 256);
  #randomAt = this.#random.length;

  next(): string {
    const now = Date.now();
    if (now > this.#lastMs) {
      this.#lastMs = now;
      this.#counter = 0;
    } else if (++this.#counter > 0xfff) {
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

/** Creation time of a version 7 UUID, in milliseconds since the epoch. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
