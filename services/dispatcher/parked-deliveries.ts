import type { Bus } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import type { Log } from '@roster/service';
import type { Queue } from './queue.js';
import type { Subscriptions } from './subscriptions.js';

export interface ParkedOptions {
  bus: Bus;
  queue: Queue;
  subscriptions: Subscriptions;
  log: Log;
}

/** A broadcast may be missed: every so often all that is parked is looked at. */
const lookEveryMs = 30_000;

/** Deliveries that wait for a disabled webhook, and go on when it is enabled again. */
export class ParkedDeliveries {
  readonly #options: ParkedOptions;
  readonly #timer: NodeJS.Timeout;
  readonly #unlisten: () => void;

  constructor(options: ParkedOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#look(), lookEveryMs);
    this.#unlisten = options.bus.listen(
      'webhooks.changed',
      ({ workspaceId }) => void this.#look(workspaceId),
    );
  }

  close(): void {
    clearInterval(this.#timer);
    this.#unlisten();
  }

  /** @param changed outside form of the workspace whose webhooks changed; all workspaces without it */
  async #look(changed?: string): Promise<void> {
    const { queue, subscriptions, log } = this.#options;
    try {
      for (const { workspaceId, webhookId } of await queue.parked()) {
        const outside = encodeId('workspace', workspaceId);
        if (changed !== undefined && changed !== outside) continue;
        const webhook = await subscriptions.one(outside, encodeId('webhook', webhookId));
        // A deleted webhook's go on too, to their end.
        if (!webhook || webhook.disabledReason === null) await queue.unpark(workspaceId, webhookId);
      }
    } catch (error) {
      log.warn({ err: error }, 'could not look after parked deliveries');
    }
  }
}
