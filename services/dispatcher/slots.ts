/** How many attempts may be under way, in all and per webhook: one slow receiver takes its own share and no more. */
export class Slots {
  readonly #totalMax: number;
  readonly #perWebhookMax: number;
  readonly #taken = new Map<string, number>();
  #total = 0;
  #waiting: (() => void)[] = [];

  constructor(totalMax: number, perWebhookMax: number) {
    this.#totalMax = totalMax;
    this.#perWebhookMax = perWebhookMax;
  }

  /** Whether a slot was free and is taken now. */
  take(webhookId: string): boolean {
    const taken = this.#taken.get(webhookId) ?? 0;
    if (this.#total >= this.#totalMax || taken >= this.#perWebhookMax) return false;
    this.#total += 1;
    this.#taken.set(webhookId, taken + 1);
    return true;
  }

  giveBack(webhookId: string): void {
    this.#total -= 1;
    const left = this.#taken.get(webhookId)! - 1;
    if (left === 0) this.#taken.delete(webhookId);
    else this.#taken.set(webhookId, left);
    if (this.#total === 0) for (const resolve of this.#waiting.splice(0)) resolve();
  }

  get free(): number {
    return this.#totalMax - this.#total;
  }
}
