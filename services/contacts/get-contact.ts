import { Json, type Handler } from '@roster/bus';
import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/service/storage';
import { contactColumns, contactJson, type ContactRow } from './contact.js';
import type { ContactsService } from './service.js';

export const getContact =
  ({ database }: ContactsService): Handler<Operations['contacts.get']> =>
  async (calls) => {
    const rows = await database.query<ContactRow & { n: number }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('contact', input.contactId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const row = found.get(index + 1);
      return row ? new Json(`{"contact":${contactJson(row)}}`) : notFound('contact');
    });
  };

/** One primary key look-up per call. `offset 0` keeps the planner from choosing a sequential scan for a large batch. */
const select: Statement = {
  name: 'contacts.get',
  text: `
    select requested.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n),
      lateral (
        select * from contacts.contacts c
        where c.workspace_id = requested.workspace_id and c.id = requested.id
        offset 0
      ) c`,
};
