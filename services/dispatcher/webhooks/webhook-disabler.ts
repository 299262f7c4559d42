import { encodeId, Fault } from '@roster/contracts';
import type { Log } from '@roster/process';
import { LRUCache } from 'lru-cache';
import type { WebhooksService } from './webhooks-service.js';

/** Raw IDs. */
interface WebhookId {
  workspaceId: string;
  webhookId: string;
}

interface Disabling {
  done: Promise<void>;
  /** End of the call, by `performance.now()`. */
  doneAt: number;
}

const rememberedMax = 1000;

/** Disables webhooks whose receiver answered 410, once for all concurrent attempts. Never rejects. */
export class WebhookDisabler {
  readonly #webhooks: Pick<WebhooksService, 'disable'>;
  readonly #log: Pick<Log, 'warn'>;
  readonly #disablings = new LRUCache<string, Disabling>({ max: rememberedMax });

  constructor(webhooks: Pick<WebhooksService, 'disable'>, log: Pick<Log, 'warn'>) {
    this.#webhooks = webhooks;
    this.#log = log;
  }

  /** @param startedAt of the attempt, by `performance.now()`. If it is after the last disabling, the webhook was enabled since. */
  disable(webhook: WebhookId, startedAt: number, reason: string): Promise<void> {
    const { webhookId } = webhook;
    const known = this.#disablings.get(webhookId);
    if (known && startedAt <= known.doneAt) return known.done;
    const disabling: Disabling = { done: this.#disable(webhook, reason), doneAt: Infinity };
    this.#disablings.set(webhookId, disabling);
    void disabling.done.then(() => (disabling.doneAt = performance.now()));
    return disabling.done;
  }

  async #disable({ workspaceId, webhookId }: WebhookId, reason: string): Promise<void> {
    try {
      await this.#webhooks.disable(workspaceId, webhookId, reason);
    } catch (error) {
      this.#disablings.delete(webhookId);
      if (error instanceof Fault && error.code === 'not_found') return;
      const shown = encodeId('webhook', webhookId);
      this.#log.warn(
        { err: error, webhookId: shown },
        'failed to disable a webhook after a 410 answer',
      );
    }
  }
}
