/** Statements that change the due time of the deliveries of one webhook, in portions. For the lock order see `queue-table.ts`. */
import type { Statement } from '@roster/service/storage';
import { queuedWebhooks } from './queue-table.js';

/**
 * Changes the matching rows among the next $4 of a webhook, after $3 in the order of the primary key. Locked rows are in use and
 * are not changed. Rows are joined by `ctid`, because without statistics the planner may search for each of them among all rows of
 * the webhook; a row that changed meanwhile has another `ctid`, and is not changed either.
 */
const movePortion = (name: string, matches: string, change: string): Statement => ({
  name,
  text: `
    with portion as (
      select q.ctid as tid, q.delivery_id, (${matches}) is true as matches from dispatcher.queue q
      where q.workspace_id = $1 and q.webhook_id = $2 and q.delivery_id > $3
      order by q.delivery_id limit $4
    ), held as (
      select q.ctid as tid from portion p join dispatcher.queue q on q.ctid = p.tid
      where p.matches for update of q skip locked
    ), moved as (
      update dispatcher.queue q set ${change} from held h
      where q.ctid = h.tid and q.workspace_id = $1 and q.webhook_id = $2
    )
    select count(*)::int as read, (select count(*)::int from held) as moved,
      (array_agg(delivery_id order by delivery_id desc))[1] as reached from portion`,
});

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

/** Webhooks of the workspaces from $1 to $2 with parked deliveries. One look-up per webhook in the queue. */
export const parkedWebhooks: Statement = {
  name: 'dispatcher.parked',
  text: `
    with recursive ${queuedWebhooks({ from: '$1', to: '$2' })}
    select w.workspace_id as "workspaceId", w.webhook_id as "webhookId" from queued w
    where exists (
      select 1 from dispatcher.queue q
      where q.workspace_id = w.workspace_id and q.webhook_id = w.webhook_id and q.due_at = 'infinity'
    )`,
};
