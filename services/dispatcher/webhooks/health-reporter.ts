import { encodeId, Fault } from '@roster/contracts';
import type { Log } from '@roster/process';
import { LRUCache } from 'lru-cache';
import type { Attempt } from '../attempt/attempt.js';
import type { WebhookHealth, WebhooksService } from './webhooks-service.js';

interface Entry extends WebhookHealth {
  workspaceId: string;
  reported: boolean;
}

const webhooksMax = 20_000;

/**
 * Reports the outcomes of attempts to the webhooks service, every few seconds, for webhooks with new attempts. That service
 * stores them, and disables webhooks after days of consecutive failures. Outcomes that are lost with this process are followed by
 * those of the next attempts.
 */
export class HealthReporter {
  readonly #service: WebhooksService;
  readonly #log: Log;
  readonly #entries = new LRUCache<string, Entry>({ max: webhooksMax });
  readonly #timer: NodeJS.Timeout;

  constructor(service: WebhooksService, log: Log, everyMs: number) {
    this.#service = service;
    this.#log = log;
    this.#timer = setInterval(() => void this.report(), everyMs);
  }

  /** Raw IDs. */
  note(workspaceId: string, webhookId: string, { error, startedAt }: Attempt): void {
    let entry = this.#entries.get(webhookId);
    if (!entry) {
      entry = {
        workspaceId,
        lastSuccessAt: null,
        lastFailureAt: null,
        failingSince: null,
        reported: false,
      };
      this.#entries.set(webhookId, entry);
    }
    entry.reported = false;
    if (error === null) {
      entry.lastSuccessAt = startedAt;
      entry.failingSince = null;
    } else {
      entry.lastFailureAt = startedAt;
      entry.failingSince ??= startedAt;
    }
  }

  async report(): Promise<void> {
    const changed = [...this.#entries].filter(([, { reported }]) => !reported);
    await Promise.all(changed.map(([webhookId, entry]) => this.#reportOne(webhookId, entry)));
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.report();
  }

  async #reportOne(webhookId: string, entry: Entry): Promise<void> {
    entry.reported = true;
    try {
      await this.#service.reportHealth(entry.workspaceId, webhookId, entry);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') {
        this.#entries.delete(webhookId);
        return;
      }
      entry.reported = false;
      const shown = encodeId('webhook', webhookId);
      this.#log.debug({ err: error, webhookId: shown }, 'failed to report the health of a webhook');
    }
  }
}
