import { isUtf8 } from 'node:buffer';
import { Deferred, Unusable, type ConsumedEvent } from '@roster/bus';
import type { EventKind } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import type { Deliverer } from './deliverer.js';
import { deliveryId, fullBody, type Delivery } from './delivery.js';
import { isSubscribed, wasDisabled, type KnownWebhook } from '../webhooks/known-webhook.js';
import type { Recorder } from './recorder.js';
import type { Subscriptions } from '../webhooks/subscriptions.js';

export interface DispatchOptions {
  database: Database;
  subscriptions: Subscriptions;
  deliverer: Deliverer;
  recorder: Pick<Recorder, 'failing' | 'shouldWait'>;
}

/** Delay of an event whose outcomes could not be recorded. */
const unrecordableMs = 1000;

/**
 * Delivers an event to every webhook that subscribes to it. Resolves when all its deliveries are recorded. An event without
 * subscribers is handled synchronously and leaves no row.
 */
export function dispatchEvent(
  options: DispatchOptions,
): (event: ConsumedEvent) => void | Promise<void> {
  return (event) => {
    // PostgreSQL would reject it, and with it the whole batch that the statement writes.
    if (!isUtf8(event.body) || event.body.includes(0)) throw new Unusable('its body is not text');
    const known = options.subscriptions.of(event.rawWorkspaceId);
    if (known instanceof Promise) return known.then(dispatch);
    return dispatch(known);

    function dispatch(all: KnownWebhook[]): void | Promise<void> {
      // A consumer or a stream that is created again delivers the events of days.
      const webhooks = all.filter((webhook) => isSubscribed(webhook, event.kind, event));
      if (webhooks.length === 0) return undefined;
      return deliver(event, webhooks, options);
    }
  };
}

async function deliver(
  event: ConsumedEvent,
  webhooks: KnownWebhook[],
  { database, deliverer, recorder }: DispatchOptions,
): Promise<void> {
  const { rawWorkspaceId: workspaceId, rawId: eventId } = event;
  const body = Buffer.from(event.body).toString('utf8');
  // Once for all webhooks that receive it.
  const full = webhooks.some(({ payload }) => payload === 'full')
    ? fullBody(body, event.details)
    : undefined;
  const createdAtMs = Date.now();
  let wanted = webhooks.map((webhook) => {
    const webhookId = webhook.id;
    const id = deliveryId(eventId, webhookId);
    // During a rollout also one that only the next release knows: its webhook subscribed to it there.
    const kind = event.kind as EventKind;
    const delivery: Delivery = {
      workspaceId,
      id,
      eventId,
      webhookId,
      kind,
      body,
      ...(webhook.payload === 'full' && full !== undefined && { ownBody: full }),
      attempts: 0,
      trigger: 'event',
      createdAtMs,
    };
    return { delivery, webhook };
  });
  // While PostgreSQL is unreachable, this statement fails too, and nothing is sent whose outcome could not be recorded.
  if (event.suspect || recorder.failing) {
    const recorded = await database.query<{ id: string }>(isRecorded, [
      workspaceId,
      wanted.map(({ delivery }) => delivery.id),
    ]);
    const known = new Set(recorded.map(({ id }) => id));
    wanted = wanted.filter(({ delivery }) => !known.has(delivery.id));
  }
  // It may also be readable, but not writable: its disk is full.
  if (recorder.shouldWait(wanted.map(({ delivery }) => delivery)))
    throw new Deferred('outcomes cannot be recorded', unrecordableMs);
  const outcomes = await Promise.allSettled(
    wanted.map(({ delivery, webhook }) =>
      wasDisabled(webhook, event)
        ? deliverer.skip(delivery, 'The webhook was disabled when the event happened.')
        : deliverer.deliver(delivery, webhook),
    ),
  );
  // After all have ended: if the event was delivered again before, attempts in flight would be sent twice.
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed) throw failed.reason;
}

export const isRecorded: Statement = {
  name: 'dispatcher.recorded',
  text: `select id from dispatcher.deliveries where workspace_id = $1 and id = any ($2::uuid[])`,
};
