import { Json, type Call, type Handler } from '@roster/bus';
import { contactCursor, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { packedContacts, unpackContacts } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';
import { badCursor, beginning, firstAfter, fittingCount } from '../../reading/page.js';

type ListContacts = Operations['contacts.list'];
type ListCall = Call<InputOf<ListContacts>>;

/** Contacts in the order of their creation, oldest first, and their exact number. */
export const listContacts =
  ({ database, links }: ContactsService): Handler<ListContacts> =>
  async (calls) => {
    const writers = await links.writersOf(calls);
    const pages = await database.query<{ text: string | null; total: number }>(
      select,
      columnsOf(calls),
    );
    return calls.map((call, index) => {
      if (afterOf(call) === undefined) return badCursor;
      const { text, total } = pages[index]!;
      const found = unpackContacts(text);
      const { limit, offset } = call.input;
      const shown = found.slice(0, Math.min(limit, fittingCount(found)));
      const next = found.length > shown.length ? contactCursor.ofUuid(shown.at(-1)!.id) : null;
      const pagination = JSON.stringify({ total, limit, offset, next });
      return new Json(
        `{"contacts":[${shown.map(writers[index]!).join(',')}],"pagination":${pagination}}`,
      );
    });
  };

const afterOf = ({ input }: ListCall): string | undefined => firstAfter(input, contactCursor);

function columnsOf(calls: readonly ListCall[]): unknown[] {
  const afters = calls.map(afterOf);
  return [
    calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    afters.map((after) => after ?? beginning),
    // One more than requested shows whether there is a next page.
    calls.map(({ input }, index) => (afters[index] === undefined ? 0 : input.limit + 1)),
    calls.map(({ input }) => input.offset),
  ];
}

/**
 * Skips in the primary key's index alone, and reads the page from there on. The fence keeps the planner from preparing for
 * pages as large as the table.
 */
const select: Statement = {
  name: 'contacts.list',
  text: `
    select counted.total::float8, page.text
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
        select ${packedContacts} as text from (
          select * from contacts.contacts
          where workspace_id = requested.workspace_id and id > start.before_first
          order by id limit requested.row_limit
        ) c
      ) page
    order by requested.n`,
};
