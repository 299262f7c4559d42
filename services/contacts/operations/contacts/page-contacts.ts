import { Json, type Call, type Handler } from '@roster/bus';
import {
  type Fault,
  contactCursor,
  invalidFields,
  uuidOf,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { packedContacts, unpackContacts } from '../../reading/contact.js';
import type { ContactsService } from '../../service.js';
import { fittingCount } from '../../reading/page.js';

type PageContacts = Operations['contacts.page'];
type PageCall = Call<InputOf<PageContacts>>;

/** Whether there are contacts outside of a page, and how many there are in all. */
interface Surroundings {
  total: number | null;
  beyond_after: boolean;
  beyond_before: boolean;
  skipped: boolean;
}

/** Contacts between two cursors, the first or the last of them, in the order of their creation. */
export const pageContacts =
  ({ database }: ContactsService): Handler<PageContacts> =>
  async (calls) => {
    const pages = await database.query<{ text: string | null } & Surroundings>(
      select,
      columnsOf(calls),
    );
    return calls.map((call, index) => {
      const wrong = wrongCursor(call.input);
      if (wrong) return wrong;
      const { limit, fromEnd } = call.input;
      const page = pages[index]!;
      const found = unpackContacts(page.text);
      const count = Math.min(limit, fittingCount(fromEnd ? found.toReversed() : found));
      // Without the additional contact, which is the first one if the page was read from the end.
      const shown = fromEnd ? found.slice(found.length - count) : found.slice(0, count);
      const contacts = shown.map(({ json }) => json).join(',');
      return new Json(`{"contacts":[${contacts}],${restOf(call, page, found.length > count)}`);
    });
  };

/** The fields after the contacts, up to the end. */
function restOf(
  { input: { fromEnd, offset } }: PageCall,
  { total, beyond_after: beyondAfter, beyond_before: beyondBefore, skipped }: Surroundings,
  more: boolean,
): string {
  const rest = {
    hasNext: beyondBefore || (fromEnd ? skipped : more),
    hasPrevious: beyondAfter || (fromEnd ? more : skipped),
    total,
    ...(offset !== undefined && { offset }),
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
    calls.map((call) => (wrongCursor(call.input) ? 0 : (call.input.offset ?? 0))),
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

/** Skips and reads in one direction of the primary key's index only: the limit of the other branch is 0. */
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
      requested.row_offset > 0 and exists (
        select 1 from contacts.contacts
        where workspace_id = requested.workspace_id and id > bounds.after and id < bounds.before
      ) as skipped,
      page.text
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::boolean[], $6::boolean[], $7::bigint[])
        with ordinality as requested (workspace_id, after, before, row_limit, from_end, counted, row_offset, n)
      cross join lateral (
        select coalesce(requested.after, '00000000-0000-0000-0000-000000000000') as after,
          coalesce(requested.before, 'ffffffff-ffff-ffff-ffff-ffffffffffff') as before
      ) bounds
      cross join lateral (
        select
          case when requested.row_offset = 0 or requested.from_end then bounds.after else (
            select id from contacts.contacts
            where workspace_id = requested.workspace_id and id > bounds.after and id < bounds.before
            order by id limit 1 offset requested.row_offset - 1
          ) end as before_first,
          case when requested.row_offset = 0 or not requested.from_end then bounds.before else (
            select id from contacts.contacts
            where workspace_id = requested.workspace_id and id > bounds.after and id < bounds.before
            order by id desc limit 1 offset requested.row_offset - 1
          ) end as after_last
      ) skip
      cross join lateral (
        select ${packedContacts} as text from (
          (select * from contacts.contacts
           where workspace_id = requested.workspace_id and id > skip.before_first and id < skip.after_last
           order by id limit case when requested.from_end then 0 else requested.row_limit end)
          union all
          (select * from contacts.contacts
           where workspace_id = requested.workspace_id and id > skip.before_first and id < skip.after_last
           order by id desc limit case when requested.from_end then requested.row_limit else 0 end)
        ) c
      ) page
    order by requested.n`,
};
