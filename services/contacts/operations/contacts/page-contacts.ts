import { Json, LargeResult, type AnswerTo, type Call, type Handler } from '@roster/bus';
import {
  type Fault,
  contactCursor,
  invalidFields,
  uuidOf,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { packedContacts, unpackContacts } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';
import { boundedPage, LargePage, readPages, type BoundedPage } from '../../reading/bounded-page.js';
import { contactChunks, pageIds, splitIds } from '../../reading/contact-chunks.js';

type PageContacts = Operations['contacts.page'];
type PageCall = Call<InputOf<PageContacts>>;

/** Whether there are contacts outside of a page, and how many there are in all. */
interface Surroundings {
  total: number | null;
  beyond_after: boolean;
  beyond_before: boolean;
}

/** Contacts between two cursors, the first or the last of them, in the order of their creation. */
export const pageContacts =
  ({ database }: ContactsService): Handler<PageContacts> =>
  async (calls) => {
    const pages = await readPages(calls, (some, bytesMax) =>
      database.query<BoundedPage & Surroundings>(select, [...columnsOf(some), bytesMax]),
    );
    return calls.map((call, index): AnswerTo<PageContacts> => {
      const wrong = wrongCursor(call.input);
      if (wrong) return wrong;
      const page = pages[index]!;
      if (page instanceof LargePage)
        return new LargeResult(page.bytes, () => readChunks(database, call, page.bytes));
      const found = unpackContacts(page.text);
      const contacts = shownOf(call, found).map(({ json }) => json);
      return new Json(`{"contacts":[${contacts.join(',')}],${restOf(call, page, found.length)}`);
    });
  };

async function* readChunks(
  database: Database,
  call: PageCall,
  bytes: number,
): AsyncGenerator<string> {
  const [row] = await database.query<Surroundings & { ids: string | null }>(
    selectIds,
    columnsOf([call]),
  );
  const ids = splitIds(row!.ids);
  const workspaceId = uuidOf('workspace', call.caller.workspaceId);
  yield '{"contacts":[';
  yield* contactChunks(database, workspaceId, shownOf(call, ids), bytes);
  yield `],${restOf(call, row!, ids.length)}`;
}

/** Drops the additional contact: the first one if the page was read from the end. */
const shownOf = <T>({ input: { limit, fromEnd } }: PageCall, found: readonly T[]): T[] =>
  fromEnd ? found.slice(-limit || found.length) : found.slice(0, limit);

/** The fields after the contacts, up to the end. */
function restOf(
  { input: { limit, fromEnd } }: PageCall,
  { total, beyond_after: beyondAfter, beyond_before: beyondBefore }: Surroundings,
  found: number,
): string {
  const more = found > limit;
  const rest = {
    hasNext: fromEnd ? beyondBefore : more || beyondBefore,
    hasPrevious: fromEnd ? more || beyondAfter : beyondAfter,
    total,
  };
  return JSON.stringify(rest).slice(1);
}

function columnsOf(calls: readonly PageCall[]): unknown[] {
  return [
    calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    calls.map(({ input: { after } }) => (after && contactCursor.uuid(after)) ?? null),
    calls.map(({ input: { before } }) => (before && contactCursor.uuid(before)) ?? null),
    // One more than requested shows whether there are further ones.
    calls.map(({ input }) => (wrongCursor(input) || input.limit === 0 ? 0 : input.limit + 1)),
    calls.map(({ input }) => input.fromEnd),
    calls.map(({ input }) => input.counted),
  ];
}

function wrongCursor({ after, before }: InputOf<PageContacts>): Fault | undefined {
  const wrong = Object.entries({ after, before }).filter(
    ([, cursor]) => cursor !== undefined && contactCursor.uuid(cursor) === undefined,
  );
  if (wrong.length === 0) return undefined;
  return invalidFields(
    wrong.map(([name]) => ({ pointer: `/${name}`, message: 'must be a cursor' })),
  );
}

/**
 * Reads the primary key's index in one direction only: the limit of the other branch is 0.
 *
 * @param selectPage what is selected of the rows of a page
 */
const selectOf = (selectPage: (rows: string) => string): string => `
    select
      case when requested.counted then (
        select coalesce(sum(total), 0) from contacts.counters where workspace_id = requested.workspace_id
      )::float8 end as total,
      requested.after is not null and exists (
        select 1 from contacts.contacts where workspace_id = requested.workspace_id and id <= requested.after
      ) as beyond_after,
      requested.before is not null and exists (
        select 1 from contacts.contacts where workspace_id = requested.workspace_id and id >= requested.before
      ) as beyond_before,
      page.*
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::boolean[], $6::boolean[])
        with ordinality as requested (workspace_id, after, before, row_limit, from_end, counted, n)
      cross join lateral (${selectPage(`
          (select * from contacts.contacts
           where workspace_id = requested.workspace_id
             and id > coalesce(requested.after, '00000000-0000-0000-0000-000000000000')
             and id < coalesce(requested.before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by id limit case when requested.from_end then 0 else requested.row_limit end)
          union all
          (select * from contacts.contacts
           where workspace_id = requested.workspace_id
             and id > coalesce(requested.after, '00000000-0000-0000-0000-000000000000')
             and id < coalesce(requested.before, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
           order by id desc limit case when requested.from_end then requested.row_limit else 0 end)`)}
      ) page
    order by requested.n`;

const select: Statement = {
  name: 'contacts.page',
  text: selectOf((rows) => boundedPage(packedContacts, rows, '$7')),
};

const selectIds: Statement = { name: 'contacts.page-ids', text: selectOf(pageIds) };
