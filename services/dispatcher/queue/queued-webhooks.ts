import { endOfIds, startOfIds } from '../delivery/delivery.js';

interface Walk {
  /** Workspace and webhook after which the walk begins. */
  after?: string;
  /** The last workspace. */
  to?: string;
  /** Condition without which the walk does not begin. */
  when?: string;
  /** Maximum number of webhooks. */
  max?: number;
}

/**
 * Table expression `queued`, for `with recursive`: the webhooks with rows in the queue. Walks from webhook to webhook through the
 * primary key, so that a webhook with a million rows costs as much as one with ten. `n` counts them.
 */
export const queuedWebhooks = ({
  after = `'${startOfIds}', '${startOfIds}'`,
  to = `'${endOfIds}'`,
  when = 'true',
  max,
}: Walk = {}): string => `
    queued as (
      (select workspace_id, webhook_id, 1 as n from dispatcher.queue
      where (workspace_id, webhook_id) > (${after}) and workspace_id <= ${to} and ${when}
      order by workspace_id, webhook_id limit 1)
      union all
      select next.workspace_id, next.webhook_id, w.n + 1 from queued w, lateral (
        select q.workspace_id, q.webhook_id from dispatcher.queue q
        where (q.workspace_id, q.webhook_id) > (w.workspace_id, w.webhook_id) and q.workspace_id <= ${to}
        order by q.workspace_id, q.webhook_id limit 1
      ) next${max === undefined ? '' : ` where w.n < ${max}`}
    )`;
