import type { Call, Handler } from '@roster/bus';
import { tagCursor, uuidOf, type InputOf, type Operations } from '@roster/contracts';
import type { Statement } from '@roster/storage';
import { badCursor } from '../reading/page.js';
import type { ContactsService } from '../service.js';

type ListTags = Operations['tags.list'];
type ListCall = Call<InputOf<ListTags>>;

/** Tags in the order of their code points, with the number of their contacts. */
export const listTags =
  ({ database }: Pick<ContactsService, 'database'>): Handler<ListTags> =>
  async (calls) => {
    const pages = await database.query<{ names: string[]; contacts: number[] }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      // No tag is empty.
      calls.map((call) => afterOf(call) ?? ''),
      calls.map(({ input }) => input.prefix ?? ''),
      // One more than requested shows whether there is a next page.
      calls.map((call) => (afterOf(call) === undefined ? 0 : call.input.limit + 1)),
    ]);
    return calls.map((call, index) => {
      if (afterOf(call) === undefined) return badCursor;
      const { limit } = call.input;
      const { names, contacts } = pages[index]!;
      const tags = names.slice(0, limit).map((name, at) => ({ name, contacts: contacts[at]! }));
      const next = names.length > limit ? tagCursor.of(names[limit - 1]!) : null;
      return { tags, pagination: { limit, next } };
    });
  };

/** Undefined if `after` is not a cursor. */
const afterOf = ({ input: { after } }: ListCall): string | undefined =>
  after === undefined ? '' : tagCursor.read(after);

/** Reads each page from the primary key's index. */
const select: Statement = {
  name: 'tags.list',
  text: `
    select page.*
    from unnest($1::uuid[], $2::text[], $3::text[], $4::int[]) with ordinality
        as requested (workspace_id, after, prefix, row_limit, n),
      lateral (
        select coalesce(array_agg(tag order by tag), '{}') as names,
          coalesce(array_agg(contacts::float8 order by tag), '{}') as contacts
        from (
          select tag, contacts from contacts.tag_counters
          where workspace_id = requested.workspace_id and tag > requested.after collate "C"
            and tag >= requested.prefix collate "C" and tag < (requested.prefix || repeat(U&'\\+10FFFF', 65)) collate "C"
          order by tag limit requested.row_limit
        ) t
      ) page
    order by requested.n`,
};
