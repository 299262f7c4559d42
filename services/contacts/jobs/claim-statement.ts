import type { Statement } from '@roster/storage';

/**
 * Claims the oldest job that is due, of a workspace that is not among $1, otherwise of the first of those. $1 are the workspaces that had
 * slices, in their order. Walks from workspace to workspace. The lock is the lease: it ends with the transaction or its process.
 *
 * @param table has an index of the workspaces and IDs of the jobs that can be claimed
 * @param columns of the job, besides those of `ClaimedJob`
 */
export const claimStatement = (
  name: string,
  table: string,
  columns: readonly string[],
): Statement => ({
  name,
  text: `
    with recursive workspaces as (
      (select workspace_id from ${table} where status in ('queued', 'running') order by workspace_id limit 1)
      union all
      select (
        select i.workspace_id from ${table} i
        where i.status in ('queued', 'running') and i.workspace_id > w.workspace_id order by i.workspace_id limit 1
      ) from workspaces w where w.workspace_id is not null
    ), next as (
      select n.workspace_id, n.id, array_position($1::uuid[], n.workspace_id) as turn from workspaces w, lateral (
        select i.workspace_id, i.id from ${table} i
        where i.workspace_id = w.workspace_id and i.status in ('queued', 'running') and i.next_at <= now()
        order by i.id limit 4
      ) n
    )
    select i.workspace_id, i.id, i.trace, ${columns.map((column) => `i.${column}`).join(', ')}
    from next n join ${table} i on i.workspace_id = n.workspace_id and i.id = n.id
    where i.status in ('queued', 'running') and i.next_at <= now()
    order by n.turn nulls first, n.id limit 1 for update of i skip locked`,
});
