import { encodeId } from '@roster/contracts';
import type { Log } from '@roster/service';
import { AddressBusy } from '../attempt/address-busy.js';
import { attempt, GivenUp, type Attempt } from '../attempt/attempt.js';
import type { Connections } from '../attempt/connections.js';
import type { Admission, Refusal, Ticket } from './admission.js';
import { decideNext } from './decide-next.js';
import type { Delivery } from './delivery.js';
import type { DeliveryMetrics } from './statistics/delivery-metrics.js';
import type { HealthReporter } from './health-reporter.js';
import type { KnownWebhook } from './known-webhook.js';
import { postOf } from './post-of.js';
import type { Recorder } from './recorder.js';
import type { WebhookDisabler } from './webhook-disabler.js';

/** Deliveries of a webhook that wait, moved when what they wait for has happened. Raw ids. */
export interface WaitingDeliveries {
  /** Until the webhook is enabled. */
  park(workspaceId: string, webhookId: string): Promise<void>;
  /** The webhook works again. */
  resume(workspaceId: string, webhookId: string): Promise<void>;
}

export interface DelivererOptions {
  disabler: WebhookDisabler;
  connections: Connections;
  recorder: Recorder;
  admission: Admission;
  health: HealthReporter;
  waiting: WaitingDeliveries;
  metrics: DeliveryMetrics;
  log: Log;
  serviceName: string;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
}

/** When a delivery is due again whose webhook could not be looked up. */
const putOffSeconds = 2;
/** When a delivery is due again to whose address too many connections were open, and up to twice that. */
const addressBusySeconds = 1;
/** When a webhook's token is read again that could not be decrypted. */
const unsignedSeconds = 30;

/** Attempts a delivery and records what came of it. Serves fresh deliveries and claimed ones alike. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the outcome is recorded. What cannot be sent now waits in the queue. An attempt that this process has made
   * and could not record is not made again: its outcome is recorded.
   */
  async deliver(delivery: Delivery, webhook: KnownWebhook): Promise<void> {
    const unrecorded = this.#options.recorder.takeUnrecorded(delivery);
    if (unrecorded) return this.#options.recorder.record(unrecorded);
    const entry = await this.#options.admission.enter(webhook);
    if (entry === 'regular' || entry === 'probe') return this.#attempt(delivery, webhook, entry);
    return this.#turnAway(delivery, webhook, entry);
  }

  /** Leaves it in the queue, without an attempt. Parked with `Infinity`, which only a claimed delivery may be. */
  putOff(delivery: Delivery, dueInSeconds = putOffSeconds, reason?: string): Promise<void> {
    return this.#options.recorder.record({
      ...{ delivery, status: 'pending', dueInSeconds },
      ...(reason === undefined ? {} : { reason }),
    });
  }

  skip(delivery: Delivery, reason: string): Promise<void> {
    this.#options.metrics.finished('skipped');
    return this.#options.recorder.record({ delivery, status: 'skipped', reason });
  }

  async #turnAway(delivery: Delivery, webhook: KnownWebhook, refusal: Refusal): Promise<void> {
    const { admission, waiting, log } = this.#options;
    const { workspaceId, webhookId } = delivery;
    if (refusal === 'busy') return this.putOff(delivery, admission.secondsUntilOpen(webhookId));
    if (refusal === 'unsigned') {
      const shown = encodeId('webhook', webhookId);
      log.error({ webhookId: shown }, 'failed to decrypt the token of a webhook');
      return this.putOff(
        delivery,
        unsignedSeconds,
        'The token of the webhook cannot be decrypted.',
      );
    }
    // What happens while a webhook is disabled is skipped; what waited before goes on when it is enabled.
    if (delivery.lease === undefined) return this.skip(delivery, webhook.disabledReason!);
    await this.putOff(delivery, Infinity);
    return waiting.park(workspaceId, webhookId);
  }

  async #attempt(delivery: Delivery, webhook: KnownWebhook, ticket: Ticket): Promise<void> {
    const { connections, admission, metrics, health, waiting } = this.#options;
    const { workspaceId, webhookId } = delivery;
    let result: Attempt;
    try {
      result = await attempt(connections, postOf(delivery, webhook, this.#options));
    } catch (error) {
      if (error instanceof AddressBusy) {
        admission.leaveBusy(webhook, ticket, error.address);
        return this.putOff(delivery, addressBusySeconds * (1 + Math.random()));
      }
      admission.leave(webhook, ticket);
      // Somebody else can try it at once; an event is given back by its consumer.
      if (error instanceof GivenUp && delivery.lease !== undefined) return this.putOff(delivery, 0);
      throw error;
    }
    const recovered = admission.leave(webhook, ticket, result);
    metrics.attempted(delivery, result);
    health.note(workspaceId, webhookId, result);
    await this.#record(delivery, result);
    if (recovered) await waiting.resume(workspaceId, webhookId);
  }

  async #record(delivery: Delivery, result: Attempt): Promise<void> {
    const { recorder, metrics, disabler, scheduleSeconds } = this.#options;
    const made = delivery.attempts + 1;
    const next = decideNext(result, made, scheduleSeconds, new Date(), Math.random());
    if (next.status !== 'pending') metrics.finished(next.status);
    // Before the outcome is recorded: if this process dies in between, the attempt is made again and answered alike. The outcome
    // counts even if the webhook could not be disabled: the next event is answered 410 too, and tries again.
    if (next.status === 'dead' && next.disableWebhook)
      await disabler.disable(delivery, result.startedAt, next.reason);
    await recorder.record({
      delivery,
      attempt: result,
      status: next.status,
      ...(next.status === 'dead' ? { reason: next.reason } : {}),
      ...(next.status === 'pending' ? { dueInSeconds: next.inSeconds } : {}),
    });
  }
}
