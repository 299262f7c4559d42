import { randomFillSync } from 'node:crypto';

/**
 * UUIDs of version 7 (RFC 9562) that only ever grow within this clock: milliseconds, a 12-bit counter, 62 random bits.
 * `after` pushes it past ids that others gave, as a hybrid logical clock does.
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

  /** The next id will be greater than this one. */
  after(id: string): void {
    const ms = timeOfId(id);
    if (ms < this.#lastMs) return;
    const counter = Number.parseInt(id.slice(15, 18), 16);
    this.#counter = ms === this.#lastMs ? Math.max(this.#counter, counter) : counter;
    this.#lastMs = ms;
  }
}

/** Milliseconds since the epoch at which a version 7 UUID was made. */
export const timeOfId = (id: string): number =>
  Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
