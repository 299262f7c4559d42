import { Json, type Handler } from '@roster/bus';
import {
  contactPropertiesMax,
  contactPropertyCursor,
  encodeId,
  invalidFields,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import type { Statement } from '@roster/service/storage';
import type { ContactsService } from './service.js';

/** Lists definitions in the order of their creation, without descriptions. */
export const listContactProperties =
  ({ database }: ContactsService): Handler<Operations['contact-properties.list']> =>
  async (calls) => {
    const afters = calls.map(({ input: { after } }) =>
      after === undefined ? beginning : contactPropertyCursor.uuid(after),
    );
    // Processes of the previous release send no limit.
    const limits = calls.map(({ input }) => input.limit ?? contactPropertiesMax);
    const pages = await database.query<{ definitions: string | null }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      afters.map((after) => after ?? beginning),
      // One additional definition shows whether there is a next page.
      limits.map((limit, index) => (afters[index] === undefined ? 0 : limit + 1)),
    ]);
    return calls.map((_, index) => {
      if (afters[index] === undefined) return badCursor;
      const limit = limits[index]!;
      const found = unpack(pages[index]!.definitions);
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const next = last ? contactPropertyCursor.ofUuid(last.id) : null;
      return new Json(
        `{"properties":[${shown.map(({ json }) => json).join(',')}],"pagination":${JSON.stringify({ limit, next })}}`,
      );
    });
  };

const beginning = '00000000-0000-0000-0000-000000000000';

const badCursor = invalidFields([
  { pointer: '/after', message: 'must be a cursor from `pagination.next`' },
]);

/** @param text packed like contacts, see `packedContacts`; null for none */
function unpack(text: string | null): { id: string; json: string }[] {
  if (text === null) return [];
  return text.split('\x1e').map((packed) => {
    const [id, name, label, ms] = packed.split('\x1f') as [string, string, string, string];
    const json =
      `{"id":"${encodeId('contactProperty', id)}","name":"${name}","label":${label},"type":"string",` +
      `"createdAt":"${new Date(Math.round(Number(ms))).toISOString()}"}`;
    return { id, json };
  });
}

/** Reads each page from the index of the primary key. */
const select: Statement = {
  name: 'contact-properties.list',
  text: `
    select page.definitions
    from unnest($1::uuid[], $2::uuid[], $3::int[]) with ordinality as requested (workspace_id, after, row_limit, n),
      lateral (
        select string_agg(
          concat_ws(E'\\x1f', id, name, to_json(label), date_part('epoch', created_at) * 1000),
          E'\\x1e' order by id
        ) as definitions
        from (
          select * from contacts.contact_properties
          where workspace_id = requested.workspace_id and id > requested.after
          order by id limit requested.row_limit
        ) d
      ) page
    order by requested.n`,
};
