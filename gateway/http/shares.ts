/** Counts an amount by owner, and bounds it for all owners together and for each: no owner can take what others need. */
export class Shares {
  readonly #max: number;
  /** Maximum of one owner. */
  readonly shareMax: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** @param shareMax maximum of one owner */
  constructor(max: number, shareMax: number) {
    this.#max = max;
    this.shareMax = shareMax;
  }

  get total(): number {
    return this.#total;
  }

  /** Whether all owners together have taken the maximum. */
  get isFull(): boolean {
    return this.#total >= this.#max;
  }

  /** Whether all owners together have taken more than the maximum. */
  get isExceeded(): boolean {
    return this.#total > this.#max;
  }

  amountOf(owner: string): number {
    return this.#taken.get(owner) ?? 0;
  }

  /** Whether an owner has taken its maximum. */
  isUsedUp(owner: string): boolean {
    return (this.#taken.get(owner) ?? 0) >= this.shareMax;
  }

  /** The owner that has taken most. */
  get largestOwner(): string | undefined {
    let most = -1;
    let largest: string | undefined;
    for (const [owner, amount] of this.#taken) if (amount > most) [largest, most] = [owner, amount];
    return largest;
  }

  /** @returns false if a maximum would be exceeded, and nothing was taken */
  tryTake(owner: string, amount = 1): boolean {
    const own = (this.#taken.get(owner) ?? 0) + amount;
    if (own > this.shareMax || this.#total + amount > this.#max) return false;
    this.#taken.set(owner, own);
    this.#total += amount;
    return true;
  }

  /** Counts what is in use already, even if that exceeds a maximum. */
  take(owner: string, amount = 1): void {
    this.#taken.set(owner, (this.#taken.get(owner) ?? 0) + amount);
    this.#total += amount;
  }

  /** Returns what was taken. */
  give(owner: string, amount = 1): void {
    const left = (this.#taken.get(owner) ?? 0) - amount;
    if (left > 0) this.#taken.set(owner, left);
    else this.#taken.delete(owner);
    this.#total -= amount;
  }
}
