import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/service';
import type { Subscriptions } from '../delivery/subscriptions.js';
import type { WebhooksService } from '../delivery/webhooks-service.js';
import type { Queue } from './queue.js';

export interface ParkedOptions {
  webhooks: WebhooksService;
  queue: Queue;
  subscriptions: Subscriptions;
  log: Log;
}

/** A broadcast may be missed: everything that is parked is checked at this interval too. */
const checkEveryMs = 30_000;

/** Unparks deliveries of disabled webhooks when those are enabled again. */
export class ParkedDeliveries {
  readonly #options: ParkedOptions;
  readonly #failures: FailureLog;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;

  constructor(options: ParkedOptions) {
    this.#options = options;
    this.#failures = new FailureLog(options.log, 'failed to check parked deliveries');
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
    this.#unlisten = options.webhooks.onChange((workspaceId) => void this.#check(workspaceId));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
  }

  /** @param changed the workspace whose webhooks changed; all workspaces without it */
  async #check(changed?: string): Promise<void> {
    const { queue, subscriptions } = this.#options;
    try {
      for (const { workspaceId, webhookId } of await queue.parked()) {
        if (changed !== undefined && changed !== workspaceId) continue;
        const webhook = await subscriptions.one(workspaceId, webhookId);
        // Deliveries of a deleted webhook are unparked too, and then skipped.
        if (!webhook || webhook.disabledReason === null) await queue.unpark(workspaceId, webhookId);
      }
    } catch (error) {
      this.#failures.warn(error);
    }
  }
}
