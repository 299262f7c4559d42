import { raw } from '@mikro-orm/core';
import type { Session } from '@roster/storage';
import { Delivery } from '../entities/delivery.entity.js';
import { Event } from '../entities/event.entity.js';
import { QueuedDelivery } from '../entities/queued-delivery.entity.js';

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
