import { randomUUID } from 'node:crypto';
import { encodeId, type EventKind } from '@roster/contracts';
import type { Log } from '@roster/service';
import type { Database, Statement } from '@roster/service/storage';
import type { Deliverer } from './deliverer.js';
import type { Circuits } from './circuits.js';
import type { Delivery, Trigger } from './delivery.js';
import { Pause } from './pause.js';
import type { Queue } from './queue.js';
import type { Slots } from './slots.js';
import type { KnownWebhook, Subscriptions } from './subscriptions.js';

export interface RetryLaneOptions {
  database: Database;
  subscriptions: Subscriptions;
  deliverer: Deliverer;
  /** Of its own: waiting deliveries and fresh ones do not take each other's places. */
  slots: Slots;
  circuits: Circuits;
  queue: Queue;
  leaseSeconds: number;
  log: Log;
  pollMs?: number;
}

/** Deliveries claimed at once, and the most of them that may be one webhook's. */
const claimMax = 100;
const claimPerWebhookMax = 25;
/** How long a delivery is put off that nobody could try: NATS or the webhooks service was away. */
const putOffSeconds = 2;

interface QueueRow {
  workspace_id: string;
  webhook_id: string;
  delivery_id: string;
  event_id: string;
  attempts: number;
  trigger: Trigger;
  kind: EventKind;
  body: string;
}

/** Tries what waits in the queue when it is due. Several processes share the queue; each row is one process' for its lease. */
export class RetryLane {
  readonly #options: RetryLaneOptions;
  readonly #running: Promise<void>;
  /** Claimed and not done, by webhook. */
  readonly #inHand = new Map<string, number>();
  readonly #work = new Set<Promise<void>>();
  #stopped = false;
  readonly #pause = new Pause();

  constructor(options: RetryLaneOptions) {
    this.#options = options;
    options.queue.onDue(() => this.#pause.end());
    this.#running = this.#run();
  }

  /** Claims no more, and returns when what was claimed is tried. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#pause.end();
    await this.#running;
    await Promise.allSettled(this.#work);
  }

  async #run(): Promise<void> {
    const { log, pollMs = 500 } = this.#options;
    while (!this.#stopped) {
      let claimed = 0;
      try {
        claimed = await this.#claim();
      } catch (error) {
        log.warn({ err: error }, 'could not look for deliveries that are due');
      }
      if (claimed === 0) await this.#pause.for(pollMs);
    }
  }

  async #claim(): Promise<number> {
    const { database, slots, circuits, leaseSeconds } = this.#options;
    // Whatever is claimed has a slot: nothing waits here while its lease runs out.
    const room = Math.min(claimMax, slots.max - this.#work.size);
    if (room === 0) {
      await this.#pause.for(20);
      return 1;
    }
    const perWebhook = Math.min(claimPerWebhookMax, slots.perWebhookMax);
    const busy = [...this.#inHand].flatMap(([webhookId, count]) =>
      count + perWebhook > slots.perWebhookMax ? [webhookId] : [],
    );
    const lease = randomUUID();
    const { closed, probing } = circuits.restricted();
    const values = [perWebhook, room, lease, leaseSeconds, [...busy, ...closed], probing];
    const rows = await database.query<QueueRow>(claim, values);
    for (const row of rows) this.#take(row, lease);
    return rows.length;
  }

  #take(row: QueueRow, lease: string): void {
    const { webhook_id: webhookId } = row;
    this.#inHand.set(webhookId, (this.#inHand.get(webhookId) ?? 0) + 1);
    const work = this.#try(row, lease)
      .catch((error: unknown) => {
        // The lease ends, and the delivery is due again.
        const deliveryId = encodeId('delivery', row.delivery_id);
        this.#options.log.warn({ err: error, deliveryId }, 'could not try a delivery');
      })
      .finally(() => {
        this.#work.delete(work);
        const left = this.#inHand.get(webhookId)! - 1;
        if (left === 0) this.#inHand.delete(webhookId);
        else this.#inHand.set(webhookId, left);
        // It was left out of claims until now, and those may have found nothing else.
        const { perWebhookMax } = this.#options.slots;
        if (left === perWebhookMax - Math.min(claimPerWebhookMax, perWebhookMax)) this.#pause.end();
      });
    this.#work.add(work);
  }

  async #try(row: QueueRow, lease: string): Promise<void> {
    const { subscriptions, deliverer, slots, circuits, queue } = this.#options;
    const delivery: Delivery = {
      workspaceId: row.workspace_id,
      id: row.delivery_id,
      eventId: row.event_id,
      webhookId: row.webhook_id,
      kind: row.kind,
      body: row.body,
      attempts: row.attempts,
      trigger: row.trigger,
      lease,
    };
    const [workspaceId, webhookId] = [
      encodeId('workspace', row.workspace_id),
      encodeId('webhook', row.webhook_id),
    ];
    let webhook: KnownWebhook | undefined;
    try {
      webhook = await subscriptions.one(workspaceId, webhookId);
    } catch {
      return deliverer.putOff(delivery, putOffSeconds);
    }
    if (!webhook) return deliverer.skip(delivery, 'The webhook was deleted.');
    if (webhook.disabledReason !== null) {
      await deliverer.putOff(delivery, putOffSeconds);
      return queue.park(row.workspace_id, row.webhook_id);
    }
    if (webhook.token === null) return deliverer.putOffUnsigned(delivery);
    if (!circuits.admit(row.webhook_id)) {
      return deliverer.putOff(delivery, circuits.pauseLeft(row.webhook_id));
    }
    if (!(await slots.take(row.webhook_id))) {
      circuits.release(row.webhook_id);
      return deliverer.putOff(delivery, 0);
    }
    return deliverer.deliverInSlot(delivery, webhook);
  }
}

/**
 * Walks from webhook to webhook through the primary key, so that a webhook with a million rows costs as much as one with
 * ten, and takes of each a few that are due. The lease is the row's until its new due time.
 */
const claim: Statement = {
  name: 'dispatcher.claim',
  text: `
    with recursive webhooks as (
      (select workspace_id, webhook_id from dispatcher.queue order by workspace_id, webhook_id limit 1)
      union all
      select n.workspace_id, n.webhook_id from webhooks w, lateral (
        select q.workspace_id, q.webhook_id from dispatcher.queue q
        where (q.workspace_id, q.webhook_id) > (w.workspace_id, w.webhook_id)
        order by q.workspace_id, q.webhook_id limit 1
      ) n
    ), candidates as (
      select c.* from (select * from webhooks where webhook_id <> all ($5::uuid[])) w, lateral (
        select q.workspace_id, q.webhook_id, q.delivery_id, q.due_at from dispatcher.queue q
        where q.workspace_id = w.workspace_id and q.webhook_id = w.webhook_id and q.due_at <= now()
        order by q.due_at limit case when w.webhook_id = any ($6::uuid[]) then 1 else $1 end
      ) c
      order by c.due_at limit $2
    ), locked as (
      select q.workspace_id, q.webhook_id, q.delivery_id
      from dispatcher.queue q join candidates c using (workspace_id, webhook_id, delivery_id)
      where q.due_at <= now()
      for update of q skip locked
    ), leased as (
      update dispatcher.queue q
      set lease = $3, due_at = now() + $4 * interval '1 second'
      from locked l
      where q.workspace_id = l.workspace_id and q.webhook_id = l.webhook_id and q.delivery_id = l.delivery_id
      returning q.*
    )
    select q.workspace_id, q.webhook_id, q.delivery_id, q.event_id, q.attempts, q.trigger, e.kind, e.body
    from leased q join dispatcher.events e on e.workspace_id = q.workspace_id and e.id = q.event_id`,
};
