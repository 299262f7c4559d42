import type { Statement } from '@roster/storage';

/**
 * The next due replay: of a workspace that is not among $1, otherwise of the first of those. $1 are the workspaces that had steps, in
 * their order. Workspaces $2 are left out. Walks from workspace to workspace, and tries $3 replays of each.
 */
export const claimReplay: Statement = {
  name: 'dispatcher.claim-replay',
  text: `
    with recursive workspaces as (
      (select workspace_id from dispatcher.replays where status = 'running' order by workspace_id limit 1)
      union all
      select (
        select r.workspace_id from dispatcher.replays r
        where r.status = 'running' and r.workspace_id > w.workspace_id order by r.workspace_id limit 1
      ) from workspaces w where w.workspace_id is not null
    ), next as (
      select n.workspace_id, n.id, array_position($1::uuid[], n.workspace_id) as turn from workspaces w, lateral (
        select r.workspace_id, r.id, r.next_at from dispatcher.replays r
        where r.workspace_id = w.workspace_id and r.status = 'running' and r.next_at <= now()
        order by r.next_at limit $3
      ) n
      where n.workspace_id <> all ($2::uuid[])
    )
    select r.workspace_id, r.id, r.webhook_id, (extract(epoch from r.since) * 1000)::float8 as since_ms,
      (extract(epoch from r.until) * 1000)::float8 as until_ms, r.delivery_status, r.kinds, r.reached
    from next n join dispatcher.replays r on r.workspace_id = n.workspace_id and r.id = n.id
    where r.status = 'running' and r.next_at <= now()
    order by n.turn nulls first, r.next_at limit 1 for update of r skip locked`,
};

/** Records the progress of a replay, and when its next step is due. */
export const advanceReplay: Statement = {
  name: 'dispatcher.advance-replay',
  text: `
    update dispatcher.replays
    set done = done + $3, reached = coalesce($4, reached), next_at = now() + interval '1 second',
      status = case when $5 then 'completed' else status end
    where workspace_id = $1 and id = $2`,
};
