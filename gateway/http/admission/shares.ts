/** Counts an amount by owner, and bounds it for all owners together and for each: no owner can take what others need. */
export class Shares {
  readonly #max: number;
  readonly #shareMax: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** @param shareMax maximum of one owner */
  constructor(max: number, shareMax: number) {
    this.#max = max;
    this.#shareMax = shareMax;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether all owners together have taken the maximum. */
  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** @returns false if a maximum would be exceeded, and nothing was taken */
  tryTake(owner: string, amount = 1): boolean {
    const own = (this.#taken.get(owner) ?? 0) + amount;
    if (own > this.#shareMax || this.#total + amount > this.#max) return false;
    this.#taken.set(owner, own);
    this.#total += amount;
    return true;
  }

  /** Returns what was taken. */
  give(owner: string, amount = 1): void {
    const left = this.#taken.get(owner)! - amount;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
    this.#total -= amount;
  }
}
