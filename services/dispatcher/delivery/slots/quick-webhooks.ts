/** A shorter attempt is quick. */
export const quickMs = 1000;
const rememberedMax = 10_000;

/** Webhooks whose last attempt was quick. */
export class QuickWebhooks {
  /** In the order in which they were added. */
  readonly #ids = new Set<string>();

  has(webhookId: string): boolean {
    return this.#ids.has(webhookId);
  }

  note(webhookId: string, tookMs: number): void {
    this.#ids.delete(webhookId);
    if (tookMs >= quickMs) return;
    this.#ids.add(webhookId);
    if (this.#ids.size > rememberedMax) this.#ids.delete(this.#ids.keys().next().value!);
  }
}
