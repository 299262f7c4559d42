/** Statements that move what waits for one webhook, in portions. They lock rows as `queue-table.ts` says. */
import type { Statement } from '@roster/service/storage';
import { queuedWebhooks } from './queue-table.js';

/**
 * Moves those of the next $4 rows of a webhook that match, after $3 in the order of the primary key. Rows that are locked are in
 * use, and stay. By `ctid`, because without statistics the planner may look each row up among all rows of its webhook; a row that
 * changed meanwhile has another one, and stays too.
 */
const movePortion = (name: string, matches: string, change: string): Statement => ({
  name,
  text: `
    with portion as (
      select q.ctid as place, q.delivery_id, (${matches}) is true as matches from dispatcher.queue q
      where q.workspace_id = $1 and q.webhook_id = $2 and q.delivery_id > $3
      order by q.delivery_id limit $4
    ), held as (
      select q.ctid as place from portion p join dispatcher.queue q on q.ctid = p.place
      where p.matches for update of q skip locked
    ), moved as (
      update dispatcher.queue q set ${change} from held h
      where q.ctid = h.place and q.workspace_id = $1 and q.webhook_id = $2
    )
    select count(*)::int as read, (select count(*)::int from held) as moved,
      (array_agg(delivery_id order by delivery_id desc))[1] as reached from portion`,
});

/** Makes due what was put off before its first attempt. */
export const resumeWebhook = movePortion(
  'dispatcher.resume',
  `q.attempts = 0 and q.lease is null and q.due_at > now() and q.due_at < 'infinity'`,
  'due_at = now()',
);

/** Puts off what waits for a webhook until it is unparked. A leased row is an attempt in flight, and keeps its due time. */
export const parkWebhook = movePortion(
  'dispatcher.park',
  `(q.lease is null or q.due_at <= now()) and q.due_at < 'infinity'`,
  `due_at = 'infinity', lease = null`,
);

/** Makes due what is parked for a webhook. */
export const unparkWebhook = movePortion(
  'dispatcher.unpark',
  `q.due_at = 'infinity'`,
  'due_at = now()',
);

/** Webhooks of the workspaces from $1 to $2 for which something is parked: a look-up for each webhook in the queue. */
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
