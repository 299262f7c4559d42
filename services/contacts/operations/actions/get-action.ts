import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { Handler } from '@roster/bus';
import type { Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { actionColumns, actionShape, type ActionRecord } from '../../actions/action-shape.js';

type GetAction = Operations['contact-actions.get'];

/** Runs one statement per batch. */
export const getAction =
  ({ database }: ContactsService): Handler<GetAction> =>
  async (calls) => {
    const rows = await database.query<ActionRecord & { n: number }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('contactAction', input.actionId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const record = found.get(index + 1);
      return record ? { action: actionShape(record) } : notFound('contactAction');
    });
  };

const select: Statement = {
  name: 'contact-actions.get',
  text: `
    select requested.n::int, ${actionColumns('a')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      join contacts.actions a using (workspace_id, id)`,
};
