import { encodeId } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import {
  makeEvent,
  type Database,
  type Outbox,
  type Session,
  type Statement,
} from '@roster/storage';
import type { Outcome } from '../delivery/delivery.js';

/** Whether the outcome may cause an event. A test is not retried, and who asked for it sees that it failed. */
export const isAnnounced = ({ status, attempt }: Outcome): boolean =>
  status === 'dead' && attempt?.trigger !== 'test';

/**
 * Writes an event for a dead delivery of each webhook, at most one per webhook and hour, however many processes have dead deliveries.
 *
 * @param session the transaction that recorded the outcomes
 */
export async function announceDead(
  session: Session,
  outcomes: readonly Outcome[],
  { ids, outbox }: { ids: IdClock; outbox: Pick<Outbox, 'add'> },
): Promise<void> {
  const byWebhook = new Map(
    outcomes.filter(isAnnounced).map((outcome) => [outcome.delivery.webhookId, outcome]),
  );
  const dead = [...byWebhook.values()];
  if (dead.length === 0) return;
  const rows = await session.query<{ webhook_id: string }>(takeHour, [
    dead.map(({ delivery }) => delivery.workspaceId),
    dead.map(({ delivery }) => delivery.webhookId),
  ]);
  await outbox.add(
    session,
    rows.map(({ webhook_id: webhookId }) => {
      const outcome = byWebhook.get(webhookId)!;
      return makeEvent(ids, outcome.delivery.workspaceId, 'DELIVERY_DEAD', dataOf(outcome));
    }),
  );
}

const dataOf = ({ delivery, attempt, reason = '' }: Outcome) => ({
  webhook: { id: encodeId('webhook', delivery.webhookId) },
  delivery: {
    id: encodeId('delivery', delivery.id),
    eventId: encodeId('event', delivery.eventId),
    kind: delivery.kind,
    reason,
    attemptCount: delivery.attempts + 1,
    lastStatusCode: attempt?.statusCode ?? null,
  },
});

/** In the order of the key, so that two batches do not deadlock. A process that waited for a row finds what the other one announced. */
const takeHour: Statement = {
  name: 'dispatcher.announce-dead',
  text: `
    insert into dispatcher.dead_announcements as a (workspace_id, webhook_id, announced_at)
    select workspace_id, webhook_id, now() from unnest($1::uuid[], $2::uuid[]) as i (workspace_id, webhook_id)
    order by workspace_id, webhook_id
    on conflict (workspace_id, webhook_id) do update set announced_at = excluded.announced_at
      where a.announced_at <= excluded.announced_at - interval '1 hour'
    returning webhook_id`,
};

/** Forgets announcements whose hour is over. */
export const forgetAnnouncements = (database: Database): Promise<unknown> =>
  database.query(forget, []);

const forget: Statement = {
  name: 'dispatcher.forget-announcements',
  text: `
    delete from dispatcher.dead_announcements where ctid = any (array(
      select ctid from dispatcher.dead_announcements
      where announced_at < now() - interval '2 hours' for update skip locked
    ))`,
};
