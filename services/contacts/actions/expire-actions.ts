import type { Session, Statement } from '@roster/storage';

/** Deletes actions that have ended 30 days ago. Any process may run it. */
export async function expireActions(session: Session): Promise<void> {
  let rows: unknown[];
  do rows = await session.query(deleteActions, []);
  while (rows.length > 0);
}

/** Of all workspaces: the time of the end decides, not the workspace. */
const deleteActions: Statement = {
  name: 'contact-actions.expire',
  text: `
    with expired as (
      select workspace_id, id from contacts.actions where ended_at < now() - interval '30 days'
      order by ended_at limit 100 for update skip locked
    )
    delete from contacts.actions a using expired x where a.workspace_id = x.workspace_id and a.id = x.id
    returning 1`,
};
