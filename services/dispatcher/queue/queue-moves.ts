/** Statements that change or end the deliveries of one webhook, in portions. For the lock order see `queue-table.ts`. */
import type { Statement } from '@roster/storage';
import { startOfIds } from '../delivery/delivery.js';
import { queuedWebhooks } from './queued-webhooks.js';

/**
 * Applies the table expression `moved` to the matching rows, `held`, among the next $4 of a webhook, after $3 in the order of the
 * primary key. Locked rows are in use and are not changed. Rows are joined by `ctid`, because without statistics the planner may
 * search for each of them among all rows of the webhook; a row that changed meanwhile has another `ctid`, and is not changed either.
 */
const portionOf = (name: string, matches: string, moved: string): Statement => ({
  name,
  text: `
    with portion as (
      select q.ctid as tid, q.delivery_id, (${matches}) is true as matches from dispatcher.queue q
      where q.workspace_id = $1 and q.webhook_id = $2 and q.delivery_id > $3
      order by q.delivery_id limit $4
    ), held as (
      select q.ctid as tid from portion p join dispatcher.queue q on q.ctid = p.tid
      where p.matches for update of q skip locked
    ), ${moved}
    select count(*)::int as read, (select count(*)::int from held) as moved,
      (array_agg(delivery_id order by delivery_id desc))[1] as reached from portion`,
});

const movePortion = (name: string, matches: string, change: string): Statement =>
  portionOf(
    name,
    matches,
    `moved as (
      update dispatcher.queue q set ${change} from held h
      where q.ctid = h.tid and q.workspace_id = $1 and q.webhook_id = $2
    )`,
  );

/** Makes deliveries due that were postponed before their first attempt. */
export const resumeWebhook = movePortion(
  'dispatcher.resume',
  `q.attempts = 0 and q.lease is null and q.due_at > now() and q.due_at < 'infinity'`,
  'due_at = now()',
);

/** Parks the deliveries of a webhook. A leased row has an attempt in flight, and keeps its due time. */
export const parkWebhook = movePortion(
  'dispatcher.park',
  `(q.lease is null or q.due_at <= now()) and q.due_at < 'infinity'`,
  `due_at = 'infinity', lease = null`,
);

/** Makes the parked deliveries of a webhook due. */
export const unparkWebhook = movePortion(
  'dispatcher.unpark',
  `q.due_at = 'infinity'`,
  'due_at = now()',
);

/** Skips the deliveries of a webhook, for the reason $5. A leased row has an attempt in flight, and is left to it. */
export const skipWebhook = portionOf(
  'dispatcher.skip',
  'q.lease is null or q.due_at <= now()',
  `moved as (
      delete from dispatcher.queue q using held h
      where q.ctid = h.tid and q.workspace_id = $1 and q.webhook_id = $2 returning q.delivery_id
    ), skipped as (
      update dispatcher.deliveries d set status = 'skipped', reason = $5, completed_at = now()
      from moved m where d.workspace_id = $1 and d.id = m.delivery_id
    )`,
);

/**
 * Webhooks of the workspaces from $1 to $2 that have deliveries in the queue, only those with parked ones if $3. One look-up per
 * webhook in the queue.
 */
export const waitingWebhooks: Statement = {
  name: 'dispatcher.waiting-webhooks',
  text: `
    with recursive ${queuedWebhooks({ after: `$1, '${startOfIds}'`, to: '$2' })}
    select w.workspace_id as "workspaceId", w.webhook_id as "webhookId", parked.one is not null as "isParked"
    from queued w left join lateral (
      select 1 as one from dispatcher.queue q
      where q.workspace_id = w.workspace_id and q.webhook_id = w.webhook_id and q.due_at = 'infinity' limit 1
    ) parked on true
    where parked.one is not null or not $3`,
};

/**
 * The deliveries of the events $2, and whether these are of an erased contact. The IDs of an event's deliveries begin with the
 * event's time and counter: a range of the primary key.
 */
export const deliveriesOfEvents = `
    of_events as (
      select d.workspace_id, d.webhook_id, d.id, i.is_own
      from unnest($2::uuid[], $3::uuid[], $4::uuid[], $5::boolean[]) as i (event_id, first_id, last_id, is_own), lateral (
        select workspace_id, webhook_id, id from dispatcher.deliveries
        where workspace_id = $1 and event_id = i.event_id and id between i.first_id and i.last_id
        offset 0
      ) d
    )`;

/** Removes the rows of deliveries of an erased contact, also leased ones: the outcome of an attempt in flight is then dropped. */
export const unqueueErased: Statement = {
  name: 'dispatcher.unqueue-erased',
  text: `
    with ${deliveriesOfEvents}, held as (
      select q.workspace_id, q.webhook_id, q.delivery_id
      from of_events d join dispatcher.queue q
        on q.workspace_id = d.workspace_id and q.webhook_id = d.webhook_id and q.delivery_id = d.id
      where d.is_own
      order by q.workspace_id, q.webhook_id, q.delivery_id for update of q
    )
    delete from dispatcher.queue q using held h
    where q.workspace_id = h.workspace_id and q.webhook_id = h.webhook_id and q.delivery_id = h.delivery_id`,
};
