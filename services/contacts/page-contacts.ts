import { Json, type Answer, type Call, type Handler } from '@roster/bus';
import {
  type Fault,
  contactCursor,
  invalidFields,
  uuidOf,
  type InputOf,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import type { Statement } from '@roster/service/storage';
import { packedContacts, unpackContacts } from './contact.js';
import type { ContactsService } from './service.js';

type PageContacts = Operations['contacts.page'];

interface Page {
  total: number | null;
  beyond_after: boolean;
  beyond_before: boolean;
  contacts: string | null;
}

/** Reads contacts between two cursors, from either end, in the order of their creation. */
export const pageContacts =
  ({ database }: ContactsService): Handler<PageContacts> =>
  async (calls) => {
    const wrong = calls.map(({ input }) => wrongCursor(input));
    const pages = await database.query<Page>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input: { after } }) => (after && contactCursor.uuid(after)) ?? null),
      calls.map(({ input: { before } }) => (before && contactCursor.uuid(before)) ?? null),
      // One additional contact shows whether there are more.
      calls.map(({ input: { limit } }, index) => (wrong[index] || limit === 0 ? 0 : limit + 1)),
      calls.map(({ input }) => input.fromEnd),
      calls.map(({ input }) => input.counted),
    ]);
    return calls.map((call, index) => wrong[index] ?? answerOf(call, pages[index]!));
  };

function answerOf(
  { input: { limit, fromEnd } }: Call<InputOf<PageContacts>>,
  { total, beyond_after: beyondAfter, beyond_before: beyondBefore, contacts }: Page,
): Answer<OutputOf<PageContacts>> {
  const found = unpackContacts(contacts);
  const more = found.length > limit;
  // Without the additional contact, which is the first one if the page was read from the end.
  const shown = fromEnd ? found.slice(-limit || found.length) : found.slice(0, limit);
  const rest = {
    hasNext: fromEnd ? beyondBefore : more || beyondBefore,
    hasPrevious: fromEnd ? more || beyondAfter : beyondAfter,
    total,
  };
  return new Json(
    `{"contacts":[${shown.map(({ json }) => json).join(',')}],${JSON.stringify(rest).slice(1)}`,
  );
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

/** Scans the index of the primary key in one direction only: the limit of the other branch is 0. */
const select: Statement = {
  name: 'contacts.page',
  text: `
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
      page.contacts
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::boolean[], $6::boolean[])
        with ordinality as requested (workspace_id, after, before, row_limit, from_end, counted, n)
      cross join lateral (
        select ${packedContacts} as contacts
        from (
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
           order by id desc limit case when requested.from_end then requested.row_limit else 0 end)
        ) c
      ) page
    order by requested.n`,
};
