import type { ActivityReporter } from '@roster/bus';
import { encodeId, type ActivityChange, type Operations, type OutputOf } from '@roster/contracts';
import type { CircuitChange } from './circuits.js';
import type { Outcome } from './delivery.js';

type ListedDelivery = OutputOf<Operations['deliveries.retry']>['delivery'];

/** The fields of a replay that are announced. Raw IDs. */
interface AnnouncedReplay {
  id: string;
  webhookId: string;
  status: string;
  total: number;
  done: number;
}

/** Announces what changes to subscriptions of the gateways. Raw IDs. */
export class Activity {
  readonly #reporter: ActivityReporter;

  constructor(reporter: ActivityReporter) {
    this.#reporter = reporter;
  }

  /** Outcomes were committed. Those of claimed deliveries that only wait for longer are not announced. */
  recorded(outcomes: readonly Outcome[]): void {
    const at = Date.now();
    for (const { delivery, attempt, status } of outcomes) {
      if (!attempt && status === 'pending' && delivery.lease !== undefined) continue;
      // The bodies are not kept until the message is made.
      const { id, eventId, webhookId } = delivery;
      const attemptCount = delivery.attempts + (attempt ? 1 : 0);
      const statusCode = attempt?.statusCode ?? null;
      this.#reporter.note(delivery.workspaceId, 'deliveries', id, () => ({
        id: encodeId('delivery', id),
        eventId: encodeId('event', eventId),
        webhookId: encodeId('webhook', webhookId),
        ...{ status, statusCode, attemptCount },
        at: new Date(at).toISOString(),
      }));
    }
  }

  /** A delivery was queued again, as it is listed now. */
  queuedAgain(workspaceId: string, rawId: string, delivery: ListedDelivery): void {
    const { id, eventId, webhookId, status, lastStatusCode, attemptCount } = delivery;
    const at = new Date().toISOString();
    this.#reporter.note(workspaceId, 'deliveries', rawId, () => ({
      ...{ id, eventId, webhookId, status, statusCode: lastStatusCode, attemptCount, at },
    }));
  }

  /** The waiting deliveries of a webhook changed. */
  deliveriesChanged(workspaceId: string): void {
    this.#reporter.noteMore(workspaceId);
  }

  circuitChanged(workspaceId: string, webhookId: string, circuit: CircuitChange): void {
    const at = new Date().toISOString();
    this.#reporter.note(workspaceId, 'webhooks', webhookId, () => ({
      ...{ id: encodeId('webhook', webhookId), circuit, at },
    }));
  }

  replayChanged(
    workspaceId: string,
    { id, webhookId, status, total, done }: AnnouncedReplay,
  ): void {
    this.#reporter.note(workspaceId, 'replays', id, () => ({
      id: encodeId('replay', id),
      webhookId: encodeId('webhook', webhookId),
      status: status as ActivityChange<'replays'>['status'],
      ...{ total, done },
    }));
  }
}
