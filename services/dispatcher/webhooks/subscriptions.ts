import { LRUCache } from 'lru-cache';
import type { KnownWebhook } from './known-webhook.js';
import type { WebhooksService } from './webhooks-service.js';
import { WorkspaceWebhooks } from './workspace-webhooks.js';

interface Entry {
  lookup: Promise<WorkspaceWebhooks>;
  /** Set once the look-up has ended. */
  webhooks?: WorkspaceWebhooks;
  /** Start of the look-up, by `performance.now()`. */
  startedAt: number;
}

/** An entry expires after this time even without a broadcast. */
const keepMs = 10_000;
const workspacesMax = 10_000;

/**
 * Cache of the webhooks of each workspace, until the webhooks service broadcasts a change. A look-up that is in flight at that
 * moment answers its callers and is not cached. Raw IDs.
 */
export class Subscriptions {
  readonly #service: WebhooksService;
  readonly #entries = new LRUCache<string, Entry>({ max: workspacesMax });
  readonly #unlisten: (() => void)[];

  constructor(service: WebhooksService) {
    this.#service = service;
    this.#unlisten = [
      service.onChange((workspaceId) => this.#entries.delete(workspaceId)),
      service.onMissedChanges(() => this.#entries.clear()),
    ];
  }

  /**
   * Returns a promise only if the webhooks are not cached.
   *
   * @param since when the look-up must have begun at the earliest, by `performance.now()`
   */
  of(
    workspaceId: string,
    since = performance.now() - keepMs,
  ): WorkspaceWebhooks | Promise<WorkspaceWebhooks> {
    const known = this.#entries.get(workspaceId);
    if (known && known.startedAt >= since) return known.webhooks ?? known.lookup;
    const lookup = this.#service.webhooksOf(workspaceId).then((all) => new WorkspaceWebhooks(all));
    const entry: Entry = { lookup, startedAt: performance.now() };
    this.#entries.set(workspaceId, entry);
    lookup.then(
      (webhooks) => (entry.webhooks = webhooks),
      () => {
        if (this.#entries.get(workspaceId) === entry) this.#entries.delete(workspaceId);
      },
    );
    return lookup;
  }

  /** Undefined if the webhook was deleted. One that is not cached may be newer than the entry, and is looked up. */
  async one(workspaceId: string, webhookId: string): Promise<KnownWebhook | undefined> {
    const calledAt = performance.now();
    const isMeant = ({ id }: KnownWebhook) => id === webhookId;
    const cached = await this.of(workspaceId);
    return cached.all.find(isMeant) ?? (await this.of(workspaceId, calledAt)).all.find(isMeant);
  }

  close(): void {
    for (const unlisten of this.#unlisten) unlisten();
  }
}
