import { randomUUID } from 'node:crypto';
import { FailureLog } from '@roster/bus';
import { encodeId } from '@roster/contracts';
import { WorkLoop, type Log } from '@roster/process';
import type { Circuits } from '../delivery/circuits.js';
import type { Deliverer } from '../delivery/deliverer.js';
import type { Delivery } from '../delivery/delivery.js';
import { traceOfText } from '@roster/telemetry';
import type { AttemptsInFlight } from '../slots/attempts-in-flight.js';
import { Counts, fairShare } from '../slots/fair-share.js';
import type { RateLimits } from '../slots/rate-limits.js';
import type { Slots } from '../slots/slots.js';
import type { Subscriptions } from '../webhooks/subscriptions.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';
import { Leases } from './leases.js';
import { webhookDeleted, type Claim, type ClaimedRow, type Queue } from './queue.js';

export interface RetryLaneOptions {
  queue: Queue;
  subscriptions: Subscriptions;
  deliverer: Deliverer;
  /** The slots of the deliverer. */
  slots: Pick<Slots, 'max'>;
  inFlight: AttemptsInFlight;
  rates: Pick<RateLimits, 'scarce' | 'onReady'>;
  /** Rows of one webhook claimed at once. */
  claimPerWebhookMax: number;
  circuits: Circuits;
  /** Milliseconds for which nothing can be sent to anyone. */
  pausedMs?: () => number;
  leaseSeconds: number;
  log: Log;
  pollMs?: number;
}

/** Rows claimed at once. */
const claimMax = 100;
/** Delay of a claim while no slot is free. */
const fullMs = 20;

/**
 * Attempts due deliveries of the queue. Workspaces share the slots. Processes share the queue: during its lease, a row belongs to one
 * of them.
 */
export class RetryLane {
  readonly #options: RetryLaneOptions;
  readonly #deliveryFailures: FailureLog;
  readonly #loop: WorkLoop;
  readonly #leases: Leases;
  /** Whether the last claim has failed. */
  #hasFailed = false;
  /** When it claims again after that. */
  #claimsAt = 0;
  readonly #inFlight = new Set<Promise<void>>();
  readonly #ofWebhook = new Counts();
  readonly #ofWorkspace = new Counts();
  /** Webhooks left out of the last claim because their slots were taken. */
  #full = new Set<string>();

  constructor(options: RetryLaneOptions) {
    this.#options = options;
    this.#deliveryFailures = new FailureLog(options.log, 'failed to attempt a delivery');
    this.#leases = new Leases(options);
    options.queue.onDue(() => this.#loop.wake());
    options.rates.onReady(() => this.#loop.wake());
    options.inFlight.onFreed((recipient) => {
      if (options.inFlight.targets.mayRetry(recipient)) this.#loop.wake();
      this.#wakeFor(recipient.id);
    });
    const failures = new FailureLog(options.log, 'failed to claim due deliveries');
    const { pollMs = 500 } = options;
    this.#loop = new WorkLoop({
      step: () => this.#claim(pollMs),
      pauseMs: pollMs,
      onFailure: (error) => {
        this.#hasFailed = true;
        failures.warn(error);
      },
    });
  }

  /** Claims no further rows. Resolves when all claimed deliveries are recorded. */
  async stop(): Promise<void> {
    await this.#loop.stop();
    await Promise.allSettled(this.#inFlight);
    this.#leases.close();
  }

  /** @returns milliseconds until the next claim */
  async #claim(pollMs: number): Promise<number> {
    const { queue, slots, leaseSeconds, claimPerWebhookMax } = this.#options;
    // Only as many as slots are free: otherwise leases would end while deliveries wait for slots.
    const free = slots.max - this.#inFlight.size;
    if (free === 0) return fullMs;
    const waitMs = Math.max(await this.#letOthersRenew(), this.#options.pausedMs?.() ?? 0);
    if (waitMs > 0) return waitMs;
    await this.#leases.renew();
    const lease = randomUUID();
    const rows = await queue.claim({
      ...{ lease, leaseSeconds, rowsMax: Math.min(claimMax, free) },
      rowsPerWebhookMax: claimPerWebhookMax,
      ...this.#webhooksToClaim(),
      workspaces: [...this.#ofWorkspace.entries()].map(([id, taken]) => ({
        ...{ id, taken, room: fairShare(free, taken) },
      })),
      roomOfOthers: fairShare(free, 0),
    });
    for (const row of rows) this.#start(row, lease);
    return rows.length === 0 ? pollMs : 0;
  }

  /** After PostgreSQL was unreachable, leases of living processes have ended: they renew them before others claim. */
  async #letOthersRenew(): Promise<number> {
    if (this.#hasFailed) {
      await this.#leases.renewNow();
      this.#hasFailed = false;
      this.#claimsAt = performance.now() + this.#options.leaseSeconds * 667;
    }
    return Math.max(0, this.#claimsAt - performance.now());
  }

  /** Leaves out webhooks whose slots are taken, whose circuit is open or whose rate is reached. Of those that may try again, a single row is claimed. */
  #webhooksToClaim(): Pick<Claim, 'without' | 'single'> {
    const { inFlight, circuits, rates, claimPerWebhookMax } = this.#options;
    const busy = [...this.#ofWebhook.keys(), ...inFlight.webhooks()];
    this.#full = new Set(busy.filter((webhookId) => this.#isFull(webhookId)));
    const { open, halfOpen } = circuits.unclosed();
    const { tried, waiting } = inFlight.targets.nextRefused();
    const scarce = rates.scarce(claimPerWebhookMax);
    return {
      without: [...this.#full, ...open, ...waiting, ...scarce.without],
      single: [...halfOpen, ...tried, ...scarce.single],
    };
  }

  #start(row: ClaimedRow, lease: string): void {
    const delivery = deliveryOf(row, lease);
    if (this.#leases.takeOver(delivery)) return;
    this.#count(row, 1);
    this.#leases.hold(delivery);
    const delivering = this.#deliver(delivery)
      .catch((error: unknown) => {
        // The lease ends, and the delivery is due again.
        this.#deliveryFailures.warn(error, { deliveryId: encodeId('delivery', row.delivery_id) });
      })
      .finally(() => {
        this.#inFlight.delete(delivering);
        this.#leases.drop(delivery);
        this.#count(row, -1);
        this.#wakeFor(row.webhook_id);
      });
    this.#inFlight.add(delivering);
  }

  #count({ workspace_id: workspaceId, webhook_id: webhookId }: ClaimedRow, change: number): void {
    this.#ofWebhook.add(webhookId, change);
    this.#ofWorkspace.add(workspaceId, change);
  }

  /** Whether the rows that a claim takes of it could not all be attempted immediately. */
  #isFull(webhookId: string): boolean {
    const { inFlight, claimPerWebhookMax } = this.#options;
    const taken = Math.max(this.#ofWebhook.of(webhookId), inFlight.of(webhookId));
    return inFlight.perWebhookMax - taken < claimPerWebhookMax;
  }

  /** The last claim may have left the webhook out and found no other rows. */
  #wakeFor(webhookId: string): void {
    if (this.#full.has(webhookId) && !this.#isFull(webhookId)) this.#loop.wake();
  }

  async #deliver(delivery: Delivery): Promise<void> {
    const { subscriptions, deliverer } = this.#options;
    let webhook: KnownWebhook | undefined;
    try {
      webhook = await subscriptions.one(delivery.workspaceId, delivery.webhookId);
    } catch {
      // NATS or the webhooks service is unreachable.
      return deliverer.postpone(delivery);
    }
    if (!webhook) return deliverer.skip(delivery, webhookDeleted);
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
  ...(row.own_body !== null && { ownBody: row.own_body }),
  trace: traceOfText(row.trace),
  attempts: row.attempts,
  trigger: row.trigger,
  lease,
});
