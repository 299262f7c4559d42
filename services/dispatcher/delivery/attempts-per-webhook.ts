/** Attempts in flight of each webhook, in all lanes together. */
export class AttemptsPerWebhook {
  readonly max: number;
  readonly #counts = new Map<string, number>();
  readonly #listeners: ((webhookId: string) => void)[] = [];

  constructor(max: number) {
    this.max = max;
  }

  of(webhookId: string): number {
    return this.#counts.get(webhookId) ?? 0;
  }

  webhooks(): Iterable<string> {
    return this.#counts.keys();
  }

  add(webhookId: string): void {
    this.#counts.set(webhookId, this.of(webhookId) + 1);
  }

  remove(webhookId: string): void {
    const left = this.of(webhookId) - 1;
    if (left > 0) this.#counts.set(webhookId, left);
    else this.#counts.delete(webhookId);
    for (const freed of this.#listeners) freed(webhookId);
  }

  /** Calls `then` after an attempt of a webhook has ended. Those that listen first are served first. */
  onFreed(then: (webhookId: string) => void): void {
    this.#listeners.push(then);
  }
}
