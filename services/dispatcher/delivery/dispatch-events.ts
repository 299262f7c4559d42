import { Deferred, type ConsumedMessage } from '@roster/bus';
import { decodeId, type CarriedEvent, type EventKind } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import type { Deliverer } from './deliverer.js';
import { deliveryId, fullBody, type Delivery } from './delivery.js';
import { isSubscribed, wasDisabled, type KnownWebhook } from '../webhooks/known-webhook.js';
import type { Recorder } from './recorder.js';
import type { Subscriptions } from '../webhooks/subscriptions.js';
import type { Subscribers, WorkspaceWebhooks } from '../webhooks/workspace-webhooks.js';

export interface DispatchOptions {
  database: Database;
  subscriptions: Subscriptions;
  deliverer: Deliverer;
  recorder: Pick<Recorder, 'failing' | 'shouldWait'>;
}

/** Delay of a message whose outcomes could not be recorded. */
const unrecordableMs = 1000;

/**
 * Delivers the events of a message to every webhook that subscribes to them. Resolves when all their deliveries are recorded.
 * Events without subscribers are not read, and leave no row.
 */
export function dispatchEvents(
  options: DispatchOptions,
): (message: ConsumedMessage) => void | Promise<void> {
  return (message) => {
    const known = options.subscriptions.of(message.rawWorkspaceId);
    if (known instanceof Promise) return known.then(dispatch);
    return dispatch(known);

    function dispatch(webhooks: WorkspaceWebhooks): void | Promise<void> {
      const subscribers = webhooks.subscribersOf(message.kind);
      if (!subscribers) return undefined;
      // A consumer or a stream that is created again delivers the events of days.
      const wanted = message.events().flatMap((event) => deliveriesOf(event, message, subscribers));
      return wanted.length === 0 ? undefined : deliver(message, wanted, options);
    }
  };
}

export interface Wanted {
  delivery: Delivery;
  webhook: KnownWebhook;
  /** The webhook was disabled when the event happened. */
  isSkipped: boolean;
}

/** The deliveries of an event to those of the subscribers that receive it. */
export function deliveriesOf(
  { id: eventId, body, details, trace }: CarriedEvent,
  {
    rawWorkspaceId: workspaceId,
    kind,
    position,
    republished,
  }: Pick<ConsumedMessage, 'rawWorkspaceId' | 'kind' | 'position' | 'republished'>,
  subscribers: Subscribers,
): Wanted[] {
  const moment = { rawId: eventId, position, republished };
  const concerned = concernedWebhook(kind, body);
  const subscribed = subscribers
    .receiving(kind, details)
    .filter((webhook) => webhook.id !== concerned && isSubscribed(webhook, kind, moment));
  // Once for all webhooks that receive it.
  const full = subscribed.some(({ payload }) => payload === 'full')
    ? fullBody(body, details)
    : undefined;
  const createdAtMs = Date.now();
  return subscribed.map((webhook) => {
    const delivery: Delivery = {
      workspaceId,
      id: deliveryId(eventId, webhook.id),
      eventId,
      webhookId: webhook.id,
      // During a rollout also one that only the next release knows: its webhook subscribed to it there.
      kind: kind as EventKind,
      body,
      ...(webhook.payload === 'full' && full !== undefined && { ownBody: full }),
      ...(trace && { trace }),
      attempts: 0,
      trigger: 'event',
      createdAtMs,
    };
    return { delivery, webhook, isSkipped: wasDisabled(webhook, moment) };
  });
}

/** The webhook that an event is about, which does not receive it: it would be sent where deliveries fail. */
function concernedWebhook(kind: string, body: string): string | undefined {
  if (!kind.startsWith('WEBHOOK_') && !kind.startsWith('DELIVERY_')) return undefined;
  try {
    return decodeId('webhook', (JSON.parse(body) as WebhookBody).data.webhook.id);
  } catch {
    // A service with stolen credentials can publish anything.
    return undefined;
  }
}

interface WebhookBody {
  data: { webhook: { id: string } };
}

async function deliver(
  { suspect, rawWorkspaceId }: ConsumedMessage,
  all: readonly Wanted[],
  { database, deliverer, recorder }: DispatchOptions,
): Promise<void> {
  let wanted = all;
  // While PostgreSQL is unreachable, this statement fails too, and nothing is sent whose outcome could not be recorded.
  if (suspect || recorder.failing) {
    const recorded = await database.query<{ id: string }>(isRecorded, [
      rawWorkspaceId,
      all.map(({ delivery }) => delivery.id),
    ]);
    const known = new Set(recorded.map(({ id }) => id));
    wanted = all.filter(({ delivery }) => !known.has(delivery.id));
  }
  // It may also be readable, but not writable: its disk is full.
  if (recorder.shouldWait(wanted.map(({ delivery }) => delivery)))
    throw new Deferred('outcomes cannot be recorded', unrecordableMs);
  const outcomes = await Promise.allSettled(
    wanted.map(({ delivery, webhook, isSkipped }) =>
      isSkipped
        ? deliverer.skip(delivery, 'The webhook was disabled when the event happened.')
        : deliverer.deliver(delivery, webhook),
    ),
  );
  // After all have ended: if the message was delivered again before, attempts in flight would be sent twice.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

export const isRecorded: Statement = {
  name: 'dispatcher.recorded',
  text: `select id from dispatcher.deliveries where workspace_id = $1 and id = any ($2::uuid[])`,
};
