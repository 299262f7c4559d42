import type { Handler } from '@roster/bus';
import { contactActionCursor, uuidOf, type Operations } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { actionColumns, actionShape, type ActionRecord } from '../../actions/action-shape.js';

type ListActions = Operations['contact-actions.list'];

/** The actions on contacts of a workspace, newest first. */
export const listActions = ({ database }: ContactsService): Handler<ListActions> =>
  onPool(
    database,
    each<ListActions>(async ({ input: { limit, after }, caller }, session) => {
      const rows = await session.query<ActionRecord>(select, [
        uuidOf('workspace', caller.workspaceId),
        after === undefined ? null : contactActionCursor.uuidOfAfter(after),
        limit + 1,
      ]);
      const records = rows.slice(0, limit);
      const next = rows.length > limit ? contactActionCursor.ofUuid(records.at(-1)!.id) : null;
      return { actions: records.map(actionShape), pagination: { limit, next } };
    }),
  );

/** In the order of the primary key. */
const select: Statement = {
  name: 'contact-actions.list',
  text: `
    select ${actionColumns('a')} from contacts.actions a
    where a.workspace_id = $1 and ($2::uuid is null or a.id < $2) order by a.id desc limit $3::int`,
};
