import { Json, LargeResult, type AnswerTo, type Call, type Handler } from '@roster/bus';
import { contactCursor, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { packedContacts, unpackContacts } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';
import type { WriteContact } from '../../reading/unsubscribe-links.js';
import { badCursor, beginning, firstAfter } from '../../reading/after-cursor.js';
import { boundedPage, LargePage, readPages, type BoundedPage } from '../../reading/bounded-page.js';
import { contactChunks, pageIds, splitIds } from '../../reading/contact-chunks.js';

type ListContacts = Operations['contacts.list'];
type ListCall = Call<InputOf<ListContacts>>;

/** Contacts in the order of their creation, oldest first, and their exact number. */
export const listContacts =
  ({ database, links }: ContactsService): Handler<ListContacts> =>
  async (calls) => {
    const writers = await links.writersOf(calls);
    const pages = await readPages(calls, (some, bytesMax) =>
      database.query<BoundedPage & { total: number }>(select, [...columnsOf(some), bytesMax]),
    );
    return calls.map((call, index): AnswerTo<ListContacts> => {
      if (afterOf(call) === undefined) return badCursor;
      const page = pages[index]!;
      const write = writers[index]!;
      if (page instanceof LargePage)
        return new LargeResult(page.bytes, () => readChunks(database, call, page.bytes, write));
      const found = unpackContacts(page.text);
      const shown = found.slice(0, call.input.limit);
      const pagination = paginationOf(call, page.total, found);
      return new Json(`{"contacts":[${shown.map(write).join(',')}],"pagination":${pagination}}`);
    });
  };

async function* readChunks(
  database: Database,
  call: ListCall,
  bytes: number,
  write: WriteContact,
): AsyncGenerator<string> {
  const [row] = await database.query<{ total: number; ids: string | null }>(
    selectIds,
    columnsOf([call]),
  );
  const { total, ids: packed } = row!;
  const ids = splitIds(packed);
  const workspaceId = uuidOf('workspace', call.caller.workspaceId);
  yield '{"contacts":[';
  yield* contactChunks(database, workspaceId, ids.slice(0, call.input.limit), bytes, write);
  const found = ids.map((id) => ({ id }));
  yield `],"pagination":${paginationOf(call, total, found)}}`;
}

/** @param found the contacts of the page, and one more if there is a next page */
function paginationOf(
  { input: { limit, offset } }: ListCall,
  total: number,
  found: readonly { id: string }[],
): string {
  const last = found.length > limit ? found[limit - 1] : undefined;
  const next = last ? contactCursor.ofUuid(last.id) : null;
  return JSON.stringify({ total, limit, offset, next });
}

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
 *
 * @param selectPage what is selected of the rows of a page
 */
const selectOf = (selectPage: (rows: string) => string): string => `
    select counted.total::float8, page.*
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
      lateral (${selectPage(`
        select * from contacts.contacts
        where workspace_id = requested.workspace_id and id > start.before_first
        order by id limit requested.row_limit`)}
      ) page
    order by requested.n`;

const select: Statement = {
  name: 'contacts.list',
  text: selectOf((rows) => boundedPage(packedContacts, rows, '$5')),
};

const selectIds: Statement = { name: 'contacts.list-ids', text: selectOf(pageIds) };
