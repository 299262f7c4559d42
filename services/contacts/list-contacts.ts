import { Json, type Answer, type Handler } from '@roster/bus';
import {
  contactCursor,
  invalidFields,
  uuidOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Statement } from '@roster/service/storage';
import { packedContacts, unpackContacts } from './contact.js';
import type { ContactsService } from './service.js';

type ListContacts = Operations['contacts.list'];

interface Page {
  total: number;
  contacts: string | null;
}

/** Lists contacts in the order of their creation, with the exact total. */
export const listContacts =
  ({ database }: ContactsService): Handler<ListContacts> =>
  async (calls) => {
    const afters = calls.map(({ input }) =>
      input.after === undefined ? beginning : contactCursor.uuid(input.after),
    );
    const pages = await database.query<Page>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      afters.map((after) => after ?? beginning),
      // One additional contact shows whether there is a next page.
      calls.map(({ input }, index) => (afters[index] === undefined ? 0 : input.limit + 1)),
      calls.map(({ input }) => input.offset),
    ]);
    return calls.map(({ input }, index): Answer<OutputOf<ListContacts>> => {
      if (afters[index] === undefined) return badCursor;
      const { total, contacts } = pages[index]!;
      const found = unpackContacts(contacts);
      const shown = found.slice(0, input.limit);
      const last = found.length > input.limit ? shown.at(-1) : undefined;
      const pagination = {
        total,
        limit: input.limit,
        offset: input.offset,
        next: last ? contactCursor.ofUuid(last.id) : null,
      };
      return new Json(
        `{"contacts":[${shown.map(({ json }) => json).join(',')}],"pagination":${JSON.stringify(pagination)}}`,
      );
    });
  };

const beginning = '00000000-0000-0000-0000-000000000000';

const badCursor = invalidFields([
  { pointer: '/after', message: 'must be a cursor from `pagination.next`' },
]);

/**
 * Skips the offset in the index of the primary key, and reads the page from there. `offset 0` keeps the planner from
 * preparing for pages of the size of the table.
 */
const select: Statement = {
  name: 'contacts.list',
  text: `
    select counted.total::float8, page.contacts
    from unnest($1::uuid[], $2::uuid[], $3::int[], $4::bigint[])
        with ordinality as requested (workspace_id, after, row_limit, row_offset, n),
      lateral (
        select coalesce(sum(total), 0) as total from contacts.counters where workspace_id = requested.workspace_id
      ) counted,
      lateral (
        select case when requested.row_offset = 0 then requested.after else (
          select id from contacts.contacts
          where workspace_id = requested.workspace_id and id > requested.after
          order by id limit 1 offset requested.row_offset - 1
        ) end as before_first
      ) start,
      lateral (
        select ${packedContacts} as contacts
        from (
          select * from contacts.contacts
          where workspace_id = requested.workspace_id and id > start.before_first
          order by id limit requested.row_limit
        ) c
      ) page
    order by requested.n`,
};
