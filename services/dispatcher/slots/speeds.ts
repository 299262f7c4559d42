/** A shorter attempt is quick. */
export const quickMs = 1000;
const rememberedMax = 10_000;

/** How long the last attempt of a webhook took; `unknown` before its first. */
export type Speed = 'quick' | 'slow' | 'unknown';

/** The speeds of the webhooks with the latest attempts. */
export class Speeds {
  /** In the order of the last attempts. */
  readonly #speeds = new Map<string, Speed>();

  of(webhookId: string): Speed {
    return this.#speeds.get(webhookId) ?? 'unknown';
  }

  note(webhookId: string, tookMs: number): void {
    this.#speeds.delete(webhookId);
    this.#speeds.set(webhookId, tookMs < quickMs ? 'quick' : 'slow');
    if (this.#speeds.size > rememberedMax) this.#speeds.delete(this.#speeds.keys().next().value!);
  }
}
