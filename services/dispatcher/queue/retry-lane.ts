import { randomUUID } from 'node:crypto';
import { FailureLog } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import type { Log } from '@roster/service';
import type { Circuits } from '../delivery/circuits.js';
import type { Deliverer } from '../delivery/deliverer.js';
import type { Delivery } from '../delivery/delivery.js';
import type { Slots } from '../delivery/slots.js';
import type { Subscriptions } from '../delivery/subscriptions.js';
import type { KnownWebhook } from '../delivery/webhooks-service.js';
import type { ClaimedRow, Queue } from './queue.js';
import { WakeableSleep } from './wakeable-sleep.js';

export interface RetryLaneOptions {
  queue: Queue;
  subscriptions: Subscriptions;
  deliverer: Deliverer;
  /** Those of the deliverer. */
  slots: Pick<Slots, 'max' | 'perWebhookMax' | 'freeOf' | 'webhooksInFlight' | 'onFreed'>;
  /** Rows of one webhook claimed at once: no more than fresh deliveries leave free. */
  claimPerWebhookMax: number;
  circuits: Circuits;
  leaseSeconds: number;
  log: Log;
  pollMs?: number;
}

/** Rows claimed at once. */
const claimMax = 100;
/** How long a claim waits while every slot has its delivery. */
const fullMs = 20;

/** Attempts deliveries of the queue when they are due. Processes share the queue: a row belongs to one of them for its lease. */
export class RetryLane {
  readonly #options: RetryLaneOptions;
  readonly #claimFailures: FailureLog;
  readonly #deliveryFailures: FailureLog;
  readonly #running: Promise<void>;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #inFlightOf = new Map<string, number>();
  /** Left out of the last claim. */
  #full = new Set<string>();
  readonly #sleep = new WakeableSleep();
  #stopped = false;

  constructor(options: RetryLaneOptions) {
    this.#options = options;
    this.#claimFailures = new FailureLog(options.log, 'failed to claim due deliveries');
    this.#deliveryFailures = new FailureLog(options.log, 'failed to attempt a delivery');
    options.queue.onDue(() => this.#sleep.wake());
    options.slots.onFreed((webhookId) => this.#wakeFor(webhookId));
    this.#running = this.#run();
  }

  /** Claims no more, and returns when what was claimed is done. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#sleep.wake();
    await this.#running;
    await Promise.allSettled(this.#inFlight);
  }

  async #run(): Promise<void> {
    const { pollMs = 500 } = this.#options;
    while (!this.#stopped) {
      let claimed = 0;
      try {
        claimed = await this.#claim();
      } catch (error) {
        this.#claimFailures.warn(error);
      }
      if (claimed === 0) await this.#sleep.for(pollMs);
    }
  }

  async #claim(): Promise<number> {
    const { queue, slots, circuits, leaseSeconds, claimPerWebhookMax } = this.#options;
    // Whatever is claimed has a slot: nothing waits for one while its lease runs out.
    const rowsMax = Math.min(claimMax, slots.max - this.#inFlight.size);
    if (rowsMax === 0) {
      await this.#sleep.for(fullMs);
      return 1;
    }
    const busy = [...this.#inFlightOf.keys(), ...slots.webhooksInFlight()];
    this.#full = new Set(busy.filter((webhookId) => this.#isFull(webhookId)));
    const lease = randomUUID();
    const { open, halfOpen } = circuits.unclosed();
    const rows = await queue.claim({
      lease,
      leaseSeconds,
      rowsMax,
      rowsPerWebhookMax: claimPerWebhookMax,
      without: [...this.#full, ...open],
      probing: halfOpen,
    });
    for (const row of rows) this.#start(row, lease);
    return rows.length;
  }

  #start(row: ClaimedRow, lease: string): void {
    const { webhook_id: webhookId } = row;
    this.#inFlightOf.set(webhookId, (this.#inFlightOf.get(webhookId) ?? 0) + 1);
    const delivering = this.#deliver(deliveryOf(row, lease))
      .catch((error: unknown) => {
        // The lease ends, and the delivery is due again.
        this.#deliveryFailures.warn(error, { deliveryId: encodeId('delivery', row.delivery_id) });
      })
      .finally(() => {
        this.#inFlight.delete(delivering);
        const left = this.#inFlightOf.get(webhookId)! - 1;
        if (left === 0) this.#inFlightOf.delete(webhookId);
        else this.#inFlightOf.set(webhookId, left);
        this.#wakeFor(webhookId);
      });
    this.#inFlight.add(delivering);
  }

  /** Whether what would be claimed of it could not all be attempted at once. */
  #isFull(webhookId: string): boolean {
    const { slots, claimPerWebhookMax } = this.#options;
    const left = slots.perWebhookMax - (this.#inFlightOf.get(webhookId) ?? 0);
    return Math.min(left, slots.freeOf(webhookId)) < claimPerWebhookMax;
  }

  /** The last claim may have left the webhook out, and have found nothing else. */
  #wakeFor(webhookId: string): void {
    if (this.#full.has(webhookId) && !this.#isFull(webhookId)) this.#sleep.wake();
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { subscriptions, deliverer } = this.#options;
    let webhook: KnownWebhook | undefined;
    try {
      webhook = await subscriptions.one(delivery.workspaceId, delivery.webhookId);
    } catch {
      // NATS or the webhooks service is away.
      return deliverer.putOff(delivery);
    }
    if (!webhook) return deliverer.skip(delivery, 'The webhook was deleted.');
    return deliverer.deliver(delivery, webhook);
  }
}

const deliveryOf = (row: ClaimedRow, lease: string): Delivery => ({
  workspaceId: row.workspace_id,
  id: row.delivery_id,
  eventId: row.event_id,
  webhookId: row.webhook_id,
  kind: row.kind,
  body: row.body,
  attempts: row.attempts,
  trigger: row.trigger,
  lease,
});
