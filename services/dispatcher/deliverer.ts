import type { Bus } from '@roster/bus';
import { Fault, systemCaller, encodeId } from '@roster/contracts';
import type { Log } from '@roster/service';
import { randomUUID } from 'node:crypto';
import { attempt, GivenUp, type Attempt } from './attempt.js';
import type { Circuits } from './circuits.js';
import type { Connections } from './connections.js';
import { decideNext } from './decide-next.js';
import type { Delivery } from './delivery.js';
import type { HealthReporter } from './health-reporter.js';
import type { DeliveryMetrics } from './metrics.js';
import type { Queue } from './queue.js';
import type { Recorder } from './recorder.js';
import { signatureHeaders } from './sign.js';
import type { Slots } from './slots.js';
import type { KnownWebhook } from './subscriptions.js';

export interface DelivererOptions {
  bus: Bus;
  connections: Connections;
  recorder: Recorder;
  slots: Slots;
  circuits: Circuits;
  health: HealthReporter;
  queue: Queue;
  metrics: DeliveryMetrics;
  log: Log;
  serviceWord: string;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
}

/** When a webhook's token is looked at again that could not be read. */
const unsignedSeconds = 30;

/** Sends a delivery to its webhook and writes down what came of it. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /** For deliveries off the stream. What cannot be sent soon waits in the queue; a failing webhook's until its next probe. */
  async deliver(delivery: Delivery, webhook: KnownWebhook): Promise<void> {
    const { circuits, slots } = this.#options;
    const { webhookId } = delivery;
    if (webhook.disabledReason !== null) return this.skip(delivery, webhook.disabledReason);
    if (webhook.token === null) return this.putOffUnsigned(delivery);
    if (!circuits.isClosed(webhookId) || !(await slots.take(webhookId))) {
      return this.putOff(delivery, circuits.pauseLeft(webhookId));
    }
    // It may have begun to fail while this one waited.
    if (circuits.isClosed(webhookId)) return this.deliverInSlot(delivery, webhook);
    slots.giveBack(webhookId);
    return this.putOff(delivery, circuits.pauseLeft(webhookId));
  }

  /** For deliveries whose slot is taken already. */
  async deliverInSlot(delivery: Delivery, webhook: KnownWebhook): Promise<void> {
    const { slots, circuits, metrics, health, queue } = this.#options;
    const { workspaceId, webhookId } = delivery;
    let result: Attempt | undefined;
    try {
      result = await this.#post(delivery, webhook);
    } catch (error) {
      circuits.release(webhookId);
      // Somebody else can try it at once; an event is given back by its consumer.
      if (error instanceof GivenUp && delivery.lease !== undefined) return this.putOff(delivery, 0);
      throw error;
    } finally {
      slots.giveBack(webhookId, result?.totalMs);
    }
    metrics.attempted(delivery, result);
    health.note(webhook.workspaceId, webhook.id, result);
    const recovered = circuits.note(webhookId, result);
    await this.#record(delivery, result);
    if (recovered) await queue.resume(workspaceId, webhookId);
  }

  /** Leaves it in the queue, without an attempt. */
  putOff(delivery: Delivery, dueInSeconds: number, reason?: string): Promise<void> {
    const { recorder } = this.#options;
    return recorder.record({
      ...{ delivery, status: 'pending', dueInSeconds },
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** The webhook's token cannot be decrypted: that is for the operator to repair, and the delivery waits for it. */
  putOffUnsigned(delivery: Delivery): Promise<void> {
    const webhookId = encodeId('webhook', delivery.webhookId);
    this.#options.log.error({ webhookId }, 'the token of a webhook cannot be decrypted');
    return this.putOff(delivery, unsignedSeconds, 'The token of the webhook cannot be read.');
  }

  skip(delivery: Delivery, reason: string): Promise<void> {
    this.#options.metrics.finished('skipped');
    return this.#options.recorder.record({ delivery, status: 'skipped', reason });
  }

  #post(delivery: Delivery, webhook: KnownWebhook): Promise<Attempt> {
    const { connections, serviceWord, timeoutMs } = this.#options;
    const id = encodeId('delivery', delivery.id);
    const word = serviceWord.toLowerCase();
    const timestamp = Math.floor(Date.now() / 1000);
    const { body } = delivery;
    return attempt(connections, {
      url: webhook.target,
      // Sign the stored bytes: serialising again could reorder keys and void the signature.
      headers: {
        'content-type': 'application/json',
        'user-agent': `${serviceWord}-Webhooks/1`,
        [`x-${word}-event`]: delivery.kind,
        [`x-${word}-delivery`]: id,
        ...signatureHeaders(word, { id, body, timestamp, tokens: tokensOf(webhook) }),
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

/** The current token, and the one it replaced while they overlap. */
function tokensOf({ token, previousToken }: KnownWebhook): string[] {
  if (token === null) throw new Error('nothing is sent unsigned');
  if (previousToken === null || Date.parse(previousToken.until) <= Date.now()) return [token];
  return [token, previousToken.token];
}
