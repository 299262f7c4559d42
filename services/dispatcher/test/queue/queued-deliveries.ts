import { randomUUID } from 'node:crypto';
import { uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/process';
import type { Session } from '@roster/storage';
import type { ExecutionContext } from 'ava';
import type { Delivery, DeliveryStatus } from '../../delivery/delivery.js';
import { Partitions } from '../../queue/partitions.js';
import { dispatcherDatabase } from '../dispatcher-database.js';

const ids = new IdClock();
const newIds = (count: number): string[] => Array.from({ length: count }, () => ids.next());

interface Queued {
  status?: DeliveryStatus;
  /** `Infinity` for parked deliveries. */
  dueInSeconds?: number;
  lease?: string;
}

/** Inserts deliveries of a webhook, each with its event, which has the same ID, and its queue row. Raw IDs. */
export const insertQueued = (
  session: Pick<Session, 'query'>,
  { workspaceId, webhookId }: Pick<Delivery, 'workspaceId' | 'webhookId'>,
  deliveryIds: readonly string[],
  { status = 'pending', dueInSeconds = 0, lease }: Queued = {},
): Promise<unknown> =>
  session.query(insert, [
    ...[workspaceId, webhookId, deliveryIds, status, dueInSeconds],
    lease ?? null,
  ]);

const insert = {
  name: 'test.insert-queued',
  text: `
    with ids as (select unnest($3::uuid[]) as id), stored as (
      insert into dispatcher.events (workspace_id, id, kind, body)
      select $1, id, 'CONTACT_CREATED', '{}' from ids
    ), written as (
      insert into dispatcher.deliveries (workspace_id, id, event_id, webhook_id, kind, status, attempts)
      select $1, id, id, $2, 'CONTACT_CREATED', $4, '[]' from ids
    )
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at, lease)
    select $1, $2, id, id, 0, 'event',
      case when $5::float8 < 'infinity' then now() + $5 * interval '1 second' else 'infinity' end, $6 from ids`,
};

/** Inserts deliveries of a webhook that are due. Returns their raw IDs. */
export async function insertDue(
  session: Pick<Session, 'query'>,
  workspaceId: string,
  webhook: { id: string },
  count: number,
): Promise<string[]> {
  const deliveryIds = newIds(count);
  await insertQueued(
    session,
    { workspaceId, webhookId: uuidOf('webhook', webhook.id) },
    deliveryIds,
  );
  return deliveryIds;
}

/** A database with deliveries of one webhook that are all attempted under one lease, which ends after this time. */
export async function withLeasedDeliveries(
  t: ExecutionContext,
  count: number,
  leaseSeconds: number,
) {
  const database = await dispatcherDatabase(t, { poolMax: 12 });
  const partitions = new Partitions(database, 30);
  await partitions.prepare();
  const [workspaceId = '', webhookId = ''] = newIds(2);
  const lease = randomUUID();
  const deliveries = newIds(count).map((id): Delivery => ({
    ...{ workspaceId, webhookId, id, eventId: id, lease },
    ...{ kind: 'CONTACT_CREATED', body: '{}', attempts: 0, trigger: 'event' },
  }));
  await insertQueued(
    database,
    { workspaceId, webhookId },
    deliveries.map(({ id }) => id),
    { dueInSeconds: leaseSeconds, lease },
  );
  return { database, partitions, workspaceId, webhookId, deliveries };
}
