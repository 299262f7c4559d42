import { Json, type Call, type Handler } from '@roster/bus';
import {
  contactPropertiesMax,
  contactPropertyCursor,
  encodeId,
  uuidOf,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import type { Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { badCursor, beginning, firstAfter } from '../../reading/page.js';

type ListContactProperties = Operations['contact-properties.list'];
type ListCall = Call<InputOf<ListContactProperties>>;

/** Definitions in the order of their creation, without descriptions. */
export const listContactProperties =
  ({ database }: ContactsService): Handler<ListContactProperties> =>
  async (calls) => {
    const pages = await database.query<{ text: string | null }>(select, columnsOf(calls));
    return calls.map((call, index) => {
      if (afterOf(call) === undefined) return badCursor;
      const limit = limitOf(call);
      const found = pages[index]!.text?.split('\x1e').map(unpack) ?? [];
      const shown = found.slice(0, limit);
      const last = found.length > limit ? shown.at(-1) : undefined;
      const next = last ? contactPropertyCursor.ofUuid(last.id) : null;
      const properties = shown.map(({ json }) => json).join(',');
      return new Json(
        `{"properties":[${properties}],"pagination":${JSON.stringify({ limit, next })}}`,
      );
    });
  };

function columnsOf(calls: readonly ListCall[]): unknown[] {
  const afters = calls.map(afterOf);
  return [
    calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
    afters.map((after) => after ?? beginning),
    // One more than requested shows whether there is a next page.
    calls.map((call, index) => (afters[index] === undefined ? 0 : limitOf(call) + 1)),
  ];
}

const limitOf = ({ input }: ListCall): number => input.limit ?? contactPropertiesMax;

const afterOf = ({ input }: ListCall): string | undefined =>
  firstAfter(input, contactPropertyCursor);

/** @param packed a definition of `packedDefinitions` */
function unpack(packed: string): { id: string; json: string } {
  const [id, name, label, type, ms] = packed.split('\x1f') as [
    string,
    string,
    string,
    string,
    string,
  ];
  const json =
    `{"id":"${encodeId('contactProperty', id)}","name":"${name}","label":${label},"type":"${type}",` +
    `"createdAt":"${new Date(Math.round(Number(ms))).toISOString()}"}`;
  return { id, json };
}

const packedDefinitions = `
  string_agg(
    concat_ws(E'\\x1f', id, name, to_json(label), type, date_part('epoch', created_at) * 1000),
    E'\\x1e' order by id)`;

/** Reads each page from the primary key's index. */
const select: Statement = {
  name: 'contact-properties.list',
  text: `
    select page.*
    from unnest($1::uuid[], $2::uuid[], $3::int[]) with ordinality as requested (workspace_id, after, row_limit, n),
      lateral (
        select ${packedDefinitions} as text from (
          select * from contacts.contact_properties
          where workspace_id = requested.workspace_id and id > requested.after
          order by id limit requested.row_limit
        ) c
      ) page
    order by requested.n`,
};
