import { uuidOf } from '@roster/contracts';
import { IdClock } from '@roster/service';
import type { Database } from '@roster/service/storage';

const ids = new IdClock();

/** Deliveries of a webhook that wait in the queue and are due. */
export const insertDue = (
  database: Database,
  workspaceId: string,
  webhook: { id: string },
  count: number,
): Promise<unknown> =>
  database.query(insert, [
    workspaceId,
    uuidOf('webhook', webhook.id),
    Array.from({ length: count }, () => ids.next()),
  ]);

const insert = {
  name: 'test.insert-due',
  text: `
    with ids as (select unnest($3::uuid[]) as id), stored as (
      insert into dispatcher.events (workspace_id, id, kind, body)
      select $1, id, 'CONTACT_CREATED', '{}' from ids
    ), written as (
      insert into dispatcher.deliveries (workspace_id, id, event_id, webhook_id, kind, status, attempts)
      select $1, id, id, $2, 'CONTACT_CREATED', 'pending', '[]' from ids
    )
    insert into dispatcher.queue (workspace_id, webhook_id, delivery_id, event_id, attempts, trigger, due_at)
    select $1, $2, id, id, 0, 'event', now() from ids`,
};
