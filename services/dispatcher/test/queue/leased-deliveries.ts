import { randomUUID } from 'node:crypto';
import { IdClock, openLog } from '@roster/service';
import { openDatabase } from '@roster/service/storage';
import { throwawayDatabase } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import type { Delivery } from '../../delivery/delivery.js';
import { migrations } from '../../migrations/index.js';
import { Partitions } from '../../queue/partitions.js';
import { schema } from '../../service.js';

const ids = new IdClock();

/** Deliveries of one webhook that are all being attempted under one lease, which ends in so many seconds. */
export async function withLeasedDeliveries(
  t: ExecutionContext,
  count: number,
  leaseSeconds: number,
) {
  const postgres = await throwawayDatabase();
  const log = openLog('dispatcher', 'silent');
  const options = { url: postgres.url, schema, poolMax: 12, entities: [], migrations, log };
  const database = await openDatabase(options);
  t.teardown(async () => {
    await database.close();
    await postgres.drop();
  });
  const partitions = new Partitions(database, 30);
  await partitions.prepare();
  const [workspaceId, webhookId, lease] = [ids.next(), ids.next(), randomUUID()];
  const deliveries = Array.from({ length: count }, (): Delivery => {
    const id = ids.next();
    return {
      ...{ workspaceId, webhookId, id, eventId: id, lease },
      ...{ kind: 'CONTACT_CREATED', body: '{}', attempts: 0, trigger: 'event' },
    };
  });
  await database.query(insert, [
    workspaceId,
    webhookId,
    lease,
    deliveries.map(({ id }) => id),
    leaseSeconds,
  ]);
  return { database, partitions, workspaceId, webhookId, deliveries };
}

const insert = {
  name: 'test.insert',
  text: `
    with ids as (select unnest($4::uuid[]) as id), stored as (
      insert into dispatcher.events (workspace_id, id, kind, body)
      select $1, id, 'CONTACT_CREATED', '{}' from ids
    ), written as (
      insert into dispatcher.deliveries (workspace_id, id, event_id, webhook_id, kind, status, attempts)
      select $1, id, id, $2, 'CONTACT_CREATED', 'pending', '[]' from ids
    )
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at, lease)
    select $1, $2, id, id, 0, 'event', now() + $5 * interval '1 second', $3 from ids`,
};
