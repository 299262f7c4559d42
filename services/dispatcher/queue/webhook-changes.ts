import { FailureLog } from '@roster/bus';
import type { Log } from '@roster/process';
import type { Activity } from '../delivery/activity.js';
import type { DeliveryMetrics } from '../delivery/delivery-metrics.js';
import type { WebhooksService } from '../webhooks/webhooks-service.js';
import { OncePerKey } from './once-per-key.js';
import type { Queue, WaitingWebhook } from './queue.js';

export interface WebhookChangesOptions {
  webhooks: WebhooksService;
  queue: Queue;
  activity: Activity;
  metrics: Pick<DeliveryMetrics, 'finished'>;
  log: Log;
}

/** Broadcasts may be missed: webhooks with parked deliveries are checked at this interval too. */
const checkEveryMs = 30_000;

/**
 * Applies changes of webhooks to their waiting deliveries: those of a webhook that is enabled again, or whose workspace is resumed,
 * are unparked, and those of a deleted one are skipped. If the broadcast of a deletion was missed, its deliveries are skipped when they are due.
 */
export class WebhookChanges {
  readonly #options: WebhookChangesOptions;
  readonly #failures: FailureLog;
  readonly #checks = new OncePerKey();
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;

  constructor(options: WebhookChangesOptions) {
    this.#options = options;
    this.#failures = new FailureLog(options.log, 'failed to check waiting deliveries');
    this.#timer = setInterval(() => void this.#check(), checkEveryMs);
    this.#unlisten = options.webhooks.onChange((workspaceId) => void this.#check(workspaceId));
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
  }

  /** @param changed the workspace whose webhooks changed; all workspaces without it */
  #check(changed?: string): Promise<void> {
    return this.#checks.run(changed ?? '', async () => {
      try {
        const waiting = await this.#options.queue.waiting(changed);
        const byWorkspace = Map.groupBy(waiting, ({ workspaceId }) => workspaceId);
        for (const [workspaceId, own] of byWorkspace) await this.#apply(workspaceId, own);
      } catch (error) {
        this.#failures.warn(error);
      }
    });
  }

  async #apply(workspaceId: string, waiting: readonly WaitingWebhook[]): Promise<void> {
    const { queue, webhooks, activity, metrics } = this.#options;
    try {
      // Read after the queue, and not from the cache: a webhook that is missing was deleted, and is not a new one.
      const known = new Map((await webhooks.webhooksOf(workspaceId)).map((one) => [one.id, one]));
      for (const { webhookId, isParked } of waiting) {
        const webhook = known.get(webhookId);
        if (!webhook)
          await queue.skip(workspaceId, webhookId, (count) => {
            metrics.finished('skipped', count);
            activity.deliveriesChanged(workspaceId);
          });
        else if (isParked && webhook.disabledReason === null && !webhook.isHeld)
          await queue.unpark(workspaceId, webhookId);
      }
    } catch (error) {
      this.#failures.warn(error);
    }
  }
}
