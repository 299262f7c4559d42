import type { Bus } from '@roster/bus';
import { Fault, systemCaller, encodeId } from '@roster/contracts';
import type { Log } from '@roster/service';
import { randomUUID } from 'node:crypto';
import { attempt, GivenUp, type Attempt } from './attempt.js';
import type { Connections } from './connections.js';
import { decideNext } from './decide-next.js';
import type { Delivery } from './delivery.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Recorder } from './recorder.js';
import { signatureHeaders } from './sign.js';
import type { Slots } from './slots.js';
import type { Subscription } from './subscriptions.js';

export interface DelivererOptions {
  bus: Bus;
  connections: Connections;
  recorder: Recorder;
  slots: Slots;
  metrics: DeliveryMetrics;
  log: Log;
  serviceWord: string;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
}

/** Sends a delivery to its webhook and writes down what came of it. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** For deliveries off the stream: what finds no free slot is put into the queue, due at once. */
  async deliver(delivery: Delivery, webhook: Subscription): Promise<void> {
    const { slots } = this.#options;
    if (webhook.disabledReason !== null) return this.skip(delivery, webhook.disabledReason);
    if (!slots.take(delivery.webhookId)) {
      return this.putOff(delivery, 0);
    }
    return this.deliverInSlot(delivery, webhook);
  }

  /** For deliveries whose slot is taken already. */
  async deliverInSlot(delivery: Delivery, webhook: Subscription): Promise<void> {
    const { slots, metrics } = this.#options;
    let result: Attempt;
    try {
      result = await this.#post(delivery, webhook);
    } catch (error) {
      // Somebody else can try it at once; an event is given back by its consumer.
      if (error instanceof GivenUp && delivery.lease !== undefined) return this.putOff(delivery, 0);
      throw error;
    } finally {
      slots.giveBack(delivery.webhookId);
    }
    metrics.attempted(delivery, result);
    return this.#record(delivery, result);
  }

  /** Leaves it in the queue, without an attempt. */
  putOff(delivery: Delivery, dueInSeconds: number): Promise<void> {
    return this.#options.recorder.record({ delivery, status: 'pending', dueInSeconds });
  }

  skip(delivery: Delivery, reason: string): Promise<void> {
    this.#options.metrics.finished('skipped');
    return this.#options.recorder.record({ delivery, status: 'skipped', reason });
  }

  #post(delivery: Delivery, webhook: Subscription): Promise<Attempt> {
    const { connections, serviceWord, timeoutMs } = this.#options;
    const id = encodeId('delivery', delivery.id);
    const word = serviceWord.toLowerCase();
    const timestamp = Math.floor(Date.now() / 1000);
    const { body } = delivery;
    return attempt(connections, {
      url: new URL(webhook.url),
      // Sign the stored bytes: serialising again could reorder keys and void the signature.
      headers: {
        'content-type': 'application/json',
        'user-agent': `${serviceWord}-Webhooks/1`,
        [`x-${word}-event`]: delivery.kind,
        [`x-${word}-delivery`]: id,
        ...signatureHeaders(word, { id, body, timestamp, tokens: [webhook.token] }),
      },
      body,
      trigger: delivery.trigger,
      timeoutMs,
    });
  }

  async #record(delivery: Delivery, result: Attempt): Promise<void> {
    const { recorder, metrics, scheduleSeconds } = this.#options;
    const made = delivery.attempts + 1;
    const next = decideNext(result, made, scheduleSeconds, new Date(), Math.random());
    if (next.status !== 'pending') metrics.finished(next.status);
    if (next.status === 'dead' && next.disableWebhook) await this.#disable(delivery, next.reason);
    await recorder.record({
      delivery,
      attempt: result,
      status: next.status,
      ...(next.status === 'dead' ? { reason: next.reason } : {}),
      ...(next.status === 'pending' ? { dueInSeconds: next.inSeconds } : {}),
    });
  }

  /**
   * Before the outcome is recorded: should this process die in between, the attempt is made again and answered alike. What
   * the receiver said counts though nobody could be told: the next event is answered 410 too, and tries again.
   */
  async #disable({ workspaceId, webhookId }: Delivery, reason: string): Promise<void> {
    const { bus, log, timeoutMs } = this.#options;
    const input = {
      workspaceId: encodeId('workspace', workspaceId),
      webhookId: encodeId('webhook', webhookId),
      reason,
    };
    const context = {
      caller: systemCaller,
      requestId: randomUUID(),
      deadline: Date.now() + timeoutMs,
    };
    try {
      await bus.ask('webhooks.shut-off', input, context);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return;
      log.warn(
        { err: error, webhookId: input.webhookId },
        'could not disable a webhook that is gone',
      );
    }
  }
}
