/** How many attempts may be under way, in all and per webhook: one slow receiver takes its own share and no more. */
export class Slots {
  readonly #totalMax: number;
  readonly #perWebhookMax: number;
  readonly #taken = new Map<string, number>();
  #total = 0;

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
  }

  get max(): number {
    return this.#totalMax;
  }

  get perWebhookMax(): number {
    return this.#perWebhookMax;
  }
}
