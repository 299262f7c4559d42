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

/** One look-up in the primary key per call: the fence keeps the planner from reading the whole table for a large batch. */
const select: Statement = {
  name: 'contacts.get',
  text: `
    select asked.n::int, ${contactColumns('c')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as asked (workspace_id, id, n),
      lateral (
        select * from contacts.contacts c
        where c.workspace_id = asked.workspace_id and c.id = asked.id
        offset 0
      ) c`,
};
