import { encodeId, Fault } from '@roster/contracts';
import type { Log } from '@roster/process';
import { AddressBusy } from '../attempt/attempt-error.js';
import { attempt, GivenUp, type Attempt } from '../attempt/attempt.js';
import { ProxyUnusable } from '../attempt/egress-proxy.js';
import type { ReceiverConnections } from '../attempt/receiver-connections.js';
import type { Activity } from './activity.js';
import type { AttemptAdmission, Refusal, Ticket } from './attempt-admission.js';
import { decideNext } from './decide-next.js';
import type { Delivery } from './delivery.js';
import { endAttempt, startAttempt } from './delivery-trace.js';
import type { DeliveryMetrics } from './delivery-metrics.js';
import type { HealthReporter } from '../webhooks/health-reporter.js';
import type { KnownWebhook } from '../webhooks/known-webhook.js';
import { postOf } from './post-of.js';
import type { Recorder } from './recorder.js';
import type { WebhooksService } from '../webhooks/webhooks-service.js';

/** Changes the due time of the queued deliveries of a webhook. Raw IDs. */
export interface WaitingDeliveries {
  /** They wait until the webhook is enabled. */
  park(workspaceId: string, webhookId: string): Promise<void>;
  /** Those that were postponed while the webhook failed are due. */
  resume(workspaceId: string, webhookId: string): Promise<void>;
}

export interface DelivererOptions {
  webhooks: Pick<WebhooksService, 'disable'>;
  connections: ReceiverConnections;
  recorder: Recorder;
  admission: AttemptAdmission;
  health: HealthReporter;
  activity: Activity;
  waiting: WaitingDeliveries;
  metrics: DeliveryMetrics;
  log: Log;
  serviceName: string;
  scheduleSeconds: readonly number[];
  timeoutMs: number;
}

/** Delay of a delivery whose webhook could not be looked up. */
const postponeSeconds = 2;
/** Minimum delay of a delivery to an address with too many open connections; at most twice as long. */
const addressBusySeconds = 1;
/** Why a delivery waits that is not attempted for the rate of its webhook. */
const rateReached = 'The maximum rate of the webhook is reached.';
const proxyFailed = 'The egress proxy of the sender failed.';
/** Why a delivery waits whose workspace is suspended, and how long until it is parked. */
const workspaceIsSuspended = 'The workspace is suspended.';
const heldSeconds = 5;
/** Delay of a delivery whose webhook has a token that cannot be decrypted. */
const unsignedSeconds = 30;

/** Attempts deliveries, fresh or claimed, and records the outcomes. */
export class Deliverer {
  readonly #options: DelivererOptions;

  constructor(options: DelivererOptions) {
    this.#options = options;
  }

  /**
   * Resolves when the outcome is recorded. A delivery that cannot be attempted now waits in the queue. If this process has made the
   * attempt before and could not record it, that outcome is recorded, and nothing is sent.
   */
  async deliver(delivery: Delivery, webhook: KnownWebhook): Promise<void> {
    const unrecorded = this.#options.recorder.unrecordedOutcome(delivery);
    if (unrecorded) return this.#options.recorder.record(unrecorded);
    const entry = await this.#options.admission.enter(webhook);
    if (entry === 'regular' || entry === 'probe') return this.#attempt(delivery, webhook, entry);
    return this.#refuse(delivery, webhook, entry);
  }

  /** Has a delivery wait in the queue, without an attempt. `Infinity` parks it, which is possible only if it was claimed. */
  postpone(delivery: Delivery, dueInSeconds = postponeSeconds, reason?: string): Promise<void> {
    return this.#options.recorder.record({
      ...{ delivery, status: 'pending', dueInSeconds },
      ...(reason === undefined ? {} : { reason }),
    });
  }

  skip(delivery: Delivery, reason: string): Promise<void> {
    this.#options.metrics.finished('skipped');
    return this.#options.recorder.record({ delivery, status: 'skipped', reason });
  }

  async #refuse(delivery: Delivery, webhook: KnownWebhook, refusal: Refusal): Promise<void> {
    const { admission, waiting, log } = this.#options;
    const { workspaceId, webhookId } = delivery;
    if (refusal === 'busy') return this.postpone(delivery, admission.secondsUntilOpen(webhookId));
    if (refusal === 'limited')
      return this.postpone(delivery, admission.secondsUntilNext(webhookId), rateReached);
    if (refusal === 'held') {
      // Only a claimed delivery can be parked.
      if (delivery.lease === undefined)
        return this.postpone(delivery, heldSeconds, workspaceIsSuspended);
      await this.postpone(delivery, Infinity, workspaceIsSuspended);
      return waiting.park(workspaceId, webhookId);
    }
    if (refusal === 'unsigned') {
      const shown = encodeId('webhook', webhookId);
      const what = webhook.token === null ? 'token' : 'headers';
      log.error({ webhookId: shown }, `failed to decrypt the ${what} of a webhook`);
      return this.postpone(
        delivery,
        unsignedSeconds,
        `The ${what} of the webhook cannot be decrypted.`,
      );
    }
    // Events that occur while a webhook is disabled are skipped. Earlier deliveries resume when it is enabled.
    if (delivery.lease === undefined) return this.skip(delivery, webhook.disabledReason!);
    await this.postpone(delivery, Infinity);
    return waiting.park(workspaceId, webhookId);
  }

  async #attempt(delivery: Delivery, webhook: KnownWebhook, ticket: Ticket): Promise<void> {
    const { connections, admission, metrics, health, activity, waiting } = this.#options;
    const { workspaceId, webhookId } = delivery;
    const span = startAttempt(delivery, webhook);
    let result: Attempt | undefined;
    try {
      result = await attempt(connections, {
        ...postOf(delivery, webhook, this.#options, span ?? delivery.trace),
        mayConnect: (address) => admission.mayConnect(webhook, address),
      });
    } catch (error) {
      if (error instanceof AddressBusy) {
        admission.leaveBusy(webhook, ticket, error.address);
        return this.postpone(delivery, addressBusySeconds * (1 + Math.random()));
      }
      admission.leave(webhook, ticket);
      if (error instanceof ProxyUnusable)
        return this.postpone(delivery, error.waitSeconds, proxyFailed);
      // Another process can attempt it immediately. The event of a fresh delivery is given back by its consumer.
      if (error instanceof GivenUp && delivery.lease !== undefined)
        return this.postpone(delivery, 0);
      throw error;
    } finally {
      if (span) endAttempt(span, result);
    }
    const circuit = admission.leave(webhook, ticket, result);
    metrics.attempted(delivery, result);
    health.note(workspaceId, webhookId, result);
    if (circuit) activity.circuitChanged(workspaceId, webhookId, circuit);
    await this.#record(delivery, result);
    if (circuit === 'closed') await waiting.resume(workspaceId, webhookId);
  }

  async #record(delivery: Delivery, result: Attempt): Promise<void> {
    const { recorder, metrics, scheduleSeconds } = this.#options;
    const made = delivery.attempts + 1;
    const next = decideNext(result, made, scheduleSeconds, new Date(), Math.random());
    if (next.status !== 'pending') metrics.finished(next.status);
    // Before the outcome is recorded: if this process dies in between, the attempt is repeated and answered 410 again. If the
    // webhook cannot be disabled, the outcome is recorded nevertheless: the next 410 disables it.
    if (next.status === 'dead' && next.disableWebhook) await this.#disable(delivery, next.reason);
    await recorder.record({
      delivery,
      attempt: result,
      status: next.status,
      ...(next.status === 'dead' ? { reason: next.reason } : {}),
      ...(next.status === 'pending' ? { dueInSeconds: next.inSeconds } : {}),
    });
  }

  /** Concurrent attempts that are answered 410 all call it: the webhooks service keeps the first reason. Never rejects. */
  async #disable({ workspaceId, webhookId }: Delivery, reason: string): Promise<void> {
    const { webhooks, log } = this.#options;
    try {
      await webhooks.disable(workspaceId, webhookId, reason);
    } catch (error) {
      if (error instanceof Fault && error.code === 'not_found') return;
      const shown = encodeId('webhook', webhookId);
      log.warn({ err: error, webhookId: shown }, 'failed to disable a webhook after a 410 answer');
    }
  }
}
