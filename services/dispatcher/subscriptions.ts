import { randomUUID } from 'node:crypto';
import type { Bus } from '@roster/bus';
import { systemCaller, uuidOf, type Operations, type OutputOf } from '@roster/contracts';

export type Subscription = OutputOf<Operations['webhooks.subscriptions']>['subscriptions'][number];

/** A subscription, ready to be sent to. */
export interface KnownWebhook extends Subscription {
  rawId: string;
  /** Outside form. */
  workspaceId: string;
  target: URL;
}

interface Kept {
  asked: Promise<KnownWebhook[]>;
  /** Once they are answered. */
  webhooks?: KnownWebhook[];
  until: number;
}

/** Knowledge is asked for anew after this time even if no broadcast came. */
const keepMs = 10_000;
const workspacesMax = 10_000;
const askTimeoutMs = 5000;

/**
 * The webhooks of each workspace, kept until the webhooks service says they changed. A look-up that was under way when it
 * said so is used by those who wait for it, and not kept.
 */
export class Subscriptions {
  readonly #bus: Bus;
  readonly #kept = new Map<string, Kept>();
  readonly #release: (() => void)[];

  constructor(bus: Bus) {
    this.#bus = bus;
    this.#release = [
      bus.listen('webhooks.changed', ({ workspaceId }) => this.#kept.delete(workspaceId)),
      // Broadcasts may have been missed while the link was down.
      bus.link.onChange(() => this.#kept.clear()),
    ];
  }

  /**
   * At once when they are known.
   *
   * @param workspaceId outside form
   */
  of(workspaceId: string): KnownWebhook[] | Promise<KnownWebhook[]> {
    const known = this.#kept.get(workspaceId);
    if (known && known.until > Date.now()) return known.webhooks ?? known.asked;
    const asked = this.#ask(workspaceId);
    this.#kept.delete(workspaceId);
    if (this.#kept.size >= workspacesMax) this.#kept.delete(this.#kept.keys().next().value!);
    const entry: Kept = { asked, until: Date.now() + keepMs };
    this.#kept.set(workspaceId, entry);
    asked.then(
      (webhooks) => (entry.webhooks = webhooks),
      () => {
        if (this.#kept.get(workspaceId) === entry) this.#kept.delete(workspaceId);
      },
    );
    return asked;
  }

  async one(workspaceId: string, webhookId: string): Promise<KnownWebhook | undefined> {
    return (await this.of(workspaceId)).find(({ id }) => id === webhookId);
  }

  close(): void {
    for (const release of this.#release) release();
  }

  async #ask(workspaceId: string): Promise<KnownWebhook[]> {
    const context = {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: Date.now() + askTimeoutMs,
    };
    const { subscriptions } = await this.#bus.ask(
      'webhooks.subscriptions',
      { workspaceId },
      context,
    );
    return subscriptions.map((subscription) => ({
      ...subscription,
      rawId: uuidOf('webhook', subscription.id),
      workspaceId,
      target: new URL(subscription.url),
    }));
  }
}
