import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/service';
import type { Subscriptions } from '../delivery/subscriptions.js';
import type { WebhooksService } from '../delivery/webhooks-service.js';
import { OncePerKey } from './once-per-key.js';
import type { Queue } from './queue.js';

export interface ParkedOptions {
  webhooks: WebhooksService;
  queue: Queue;
  subscriptions: Subscriptions;
  log: Log;
}

/** Broadcasts may be missed: all parked deliveries are checked at this interval too. */
const checkEveryMs = 30_000;

/** Unparks deliveries of disabled webhooks when those are enabled again. */
export class ParkedDeliveries {
  readonly #options: ParkedOptions;
  readonly #failures: FailureLog;
  readonly #checks = new OncePerKey();
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
  #check(changed?: string): Promise<void> {
    const { queue } = this.#options;
    return this.#checks.run(changed ?? '', async () => {
      try {
        const parked = await queue.parked(changed);
        for (const { workspaceId, webhookId } of parked) await this.#unpark(workspaceId, webhookId);
      } catch (error) {
        this.#failures.warn(error);
      }
    });
  }

  async #unpark(workspaceId: string, webhookId: string): Promise<void> {
    const { queue, subscriptions } = this.#options;
    try {
      const webhook = await subscriptions.one(workspaceId, webhookId);
      // Deliveries of a deleted webhook are unparked too, and then skipped.
      if (!webhook || webhook.disabledReason === null) await queue.unpark(workspaceId, webhookId);
    } catch (error) {
      this.#failures.warn(error);
    }
  }
}
