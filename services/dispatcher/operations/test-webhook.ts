import {
  encodeId,
  type EventBody,
  type EventDetails,
  type EventKind,
  type Operations,
  timeOfId,
  uuidOf,
} from '@roster/contracts';
import { type IdClock } from '@roster/process';
import { each, type Session } from '@roster/storage';
import { raw } from '@mikro-orm/core';
import { deliveryId, withDetails } from '../delivery/delivery.js';
import { subjectOf } from './delivery-row.js';
import { refuseDisabled, requireWebhook } from './require-webhook.js';
import type { DispatcherService } from '../service.js';
import { Delivery, Event } from '../entities/delivery.entity.js';
import { QueuedDelivery } from '../entities/queued-delivery.entity.js';

/** Sends a sample event to one webhook, whatever kinds it subscribes to. The body marks it as a test. It is not retried. */
export const testWebhook = ({ ids, partitions, queue, subscriptions }: DispatcherService) =>
  each<Operations['webhooks.test']>(async ({ input, caller }, session) => {
    const { kind } = input;
    const webhook = await requireWebhook(subscriptions, caller, input.webhookId);
    refuseDisabled(webhook);
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const webhookId = uuidOf('webhook', input.webhookId);
    const eventId = ids.next();
    const id = deliveryId(eventId, webhookId);
    const now = new Date();
    const { compact, full } = sampleEvent(kind, caller.workspaceId, now, ids);
    const body = JSON.stringify({ ...compact, test: true });
    const ownBody =
      webhook.payload === 'full' && full ? JSON.stringify({ ...full, test: true }) : null;
    await partitions.ensure(timeOfId(eventId));
    await enqueueTest(session, {
      ...{ workspaceId, id, eventId, webhookId, kind, body, ownBody },
      createdAt: now,
    });
    session.afterCommit(() => queue.due());
    return {
      delivery: {
        id: encodeId('delivery', id),
        webhookId: input.webhookId,
        eventId: encodeId('event', eventId),
        kind,
        status: 'pending',
        reason: null,
        attemptCount: 0,
        createdAt: now.toISOString(),
        completedAt: null,
        nextAttemptAt: now.toISOString(),
        subject: subjectOf(body),
        lastStatusCode: null,
        lastError: null,
        lastTotalMs: null,
      },
    };
  });

/** A test delivery and its sample event. Raw IDs. */
export interface TestDelivery {
  workspaceId: string;
  id: string;
  eventId: string;
  webhookId: string;
  kind: string;
  body: string;
  /** Null if it is the body of the event. */
  ownBody: string | null;
  createdAt: Date;
}

/** Writes a test delivery and its event, due now. All three rows are new: see the lock order in `queue-table.ts`. */
export function enqueueTest(
  session: Session,
  { workspaceId, id, eventId, webhookId, kind, body, ownBody, createdAt }: TestDelivery,
): Promise<void> {
  return session.transaction(async ({ em }) => {
    await em.insert(Event, { workspaceId, id: eventId, kind, body });
    const delivery = { workspaceId, id, eventId, webhookId, kind, body: ownBody, createdAt };
    await em.insert(Delivery, { ...delivery, status: 'pending', attempts: [] });
    const queued = { workspaceId, webhookId, deliveryId: id, eventId };
    // Due by the clock of PostgreSQL, as claims are.
    const dueAt = raw('now()');
    await em.insert(QueuedDelivery, { ...queued, attempts: 0, trigger: 'test', dueAt });
  });
}

/** The body of a sample event for each payload of webhooks. `full` is undefined if it is the same. */
export function sampleEvent(
  kind: EventKind,
  workspaceId: string,
  now: Date,
  ids: IdClock,
): { compact: EventBody; full?: object } {
  const person = { email: 'ada@example.com', name: 'Ada Lovelace' };
  const created_at = now.toISOString();
  if (kind === 'WORKSPACE_TEAM_MEMBER_JOINED') {
    const user = { id: encodeId('user', ids.next()), ...person };
    const data = { workspace: { id: workspaceId, name: 'Sample' }, user };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'IMPORT_ENDED') {
    const data = { import: sampleImport(encodeId('import', ids.next()), created_at) };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'ACTION_ENDED') {
    const data = { action: sampleAction(encodeId('contactAction', ids.next()), created_at) };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'WEBHOOK_FAILING' || kind === 'WEBHOOK_DISABLED') {
    const disabledReason = kind === 'WEBHOOK_DISABLED' ? 'Disabled by a user.' : null;
    const id = encodeId('webhook', ids.next());
    const data = { webhook: { id, description: null, failingSince: created_at, disabledReason } };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'KEY_EXPIRING') {
    const userId = encodeId('user', ids.next());
    const expiresAt = new Date(now.getTime() + 7 * 86_400_000).toISOString();
    const data = { apiKey: { id: encodeId('key', ids.next()), name: 'Sample', userId, expiresAt } };
    return { compact: { event: kind, created_at, data } };
  }
  if (kind === 'DELIVERY_DEAD')
    return { compact: { event: kind, created_at, data: deadDelivery(ids) } };
  const contact = { id: encodeId('contact', ids.next()), ...person, createdAt: created_at };
  const compact = { event: kind, created_at, data: { contact } };
  return { compact, full: withDetails(compact, detailsOf(kind)) };
}

const deadDelivery = (ids: IdClock): EventBody<'DELIVERY_DEAD'>['data'] => ({
  webhook: { id: encodeId('webhook', ids.next()) },
  delivery: {
    id: encodeId('delivery', ids.next()),
    eventId: encodeId('event', ids.next()),
    ...{ kind: 'CONTACT_CREATED', reason: 'Given up after 10 attempts.' },
    ...{ attemptCount: 10, lastStatusCode: 503 },
  },
});

const sampleImport = (id: string, at: string): EventBody<'IMPORT_ENDED'>['data']['import'] => ({
  ...{ id, status: 'completed', format: 'csv', mode: 'upsert', events: 'summary', dryRun: false },
  ...{ total: 3, done: 3, created: 1, updated: 1, skipped: 0, failed: 1, reason: null },
  ...{ fileName: 'contacts.csv', createdAt: at, endedAt: at },
});

const sampleAction = (id: string, at: string): EventBody<'ACTION_ENDED'>['data']['action'] => ({
  ...{ id, status: 'completed', filter: { tag: ['vip'] }, change: { addTags: ['newsletter'] } },
  ...{ dryRun: false, total: 3, examined: 3, matched: 2, changed: 1, unchanged: 1, failed: 0 },
  ...{ failures: [], reason: null, createdAt: at, endedAt: at },
});

const detailsOf = (kind: EventKind): EventDetails => ({
  contact: {
    tags: ['customer'],
    properties: { city: 'London' },
    status: kind === 'CONTACT_UNSUBSCRIBED' ? 'unsubscribed' : 'subscribed',
  },
  previous: previousOf[kind],
});

const previousOf: Partial<Record<EventKind, EventDetails['previous']>> = {
  CONTACT_UPDATED: { name: 'Ada Byron', properties: { city: null } },
  CONTACT_UNSUBSCRIBED: { status: 'subscribed' },
  CONTACT_RESUBSCRIBED: { status: 'unsubscribed' },
};
