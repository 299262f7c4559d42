import { Json, LargeResult, type AnswerTo, type Call, type Handler } from '@roster/bus';
import {
  contactPropertiesMax,
  contactPropertyCursor,
  encodeId,
  uuidOf,
  type InputOf,
  type Operations,
} from '@roster/contracts';
import { inSlices, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { badCursor, beginning, firstAfter } from '../../reading/after-cursor.js';
import { boundedPage, LargePage, readPages, type BoundedPage } from '../../reading/bounded-page.js';

type ListContactProperties = Operations['contact-properties.list'];
type ListCall = Call<InputOf<ListContactProperties>>;

/** Definitions in the order of their creation, without descriptions. */
export const listContactProperties =
  ({ database }: ContactsService): Handler<ListContactProperties> =>
  async (calls) => {
    const read = (some: readonly ListCall[], bytesMax: number) =>
      database.query<BoundedPage>(select, [...columnsOf(some), bytesMax]);
    const pages = await readPages(calls, read, pageBytesMax);
    const answers: AnswerTo<ListContactProperties>[] = [];
    for (const [index, call] of calls.entries()) {
      const page = pages[index]!;
      if (afterOf(call) === undefined) {
        answers.push(badCursor);
      } else if (page instanceof LargePage) {
        const readWhole = async function* () {
          const [whole] = await read([call], wholeBytesMax);
          yield await jsonOf(call, whole!);
        };
        answers.push(new LargeResult(page.bytes, readWhole));
      } else {
        answers.push(new Json(await jsonOf(call, page)));
      }
    }
    return answers;
  };

/**
 * About 350 definitions. Definitions are smaller than contacts, but converting them takes long for their size: the client reads
 * more of them one page at a time, with pauses while other workspaces are active.
 */
const pageBytesMax = 32 * 1024;

/** Definitions that are converted in one turn of the event loop, which takes a quarter of a millisecond. */
const sliceMax = 250;

/** Exceeds every page of definitions. */
const wholeBytesMax = 2 ** 31 - 1;

async function jsonOf(call: ListCall, { text }: BoundedPage): Promise<string> {
  const limit = limitOf(call);
  const found = await inSlices(text?.split('\x1e') ?? [], sliceMax, unpack);
  const shown = found.slice(0, limit);
  const last = found.length > limit ? shown.at(-1) : undefined;
  const next = last ? contactPropertyCursor.ofUuid(last.id) : null;
  return `{"properties":[${shown.map(({ json }) => json).join(',')}],"pagination":${JSON.stringify({ limit, next })}}`;
}

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
  const [id, name, label, ms] = packed.split('\x1f') as [string, string, string, string];
  const json =
    `{"id":"${encodeId('contactProperty', id)}","name":"${name}","label":${label},"type":"string",` +
    `"createdAt":"${new Date(Math.round(Number(ms))).toISOString()}"}`;
  return { id, json };
}

const packedDefinitions = `
  string_agg(
    concat_ws(E'\\x1f', id, name, to_json(label), date_part('epoch', created_at) * 1000),
    E'\\x1e' order by id)`;

/** Reads each page from the primary key's index. */
const select: Statement = {
  name: 'contact-properties.list',
  text: `
    select page.*
    from unnest($1::uuid[], $2::uuid[], $3::int[]) with ordinality as requested (workspace_id, after, row_limit, n),
      lateral (${boundedPage(
        packedDefinitions,
        `
        select * from contacts.contact_properties
        where workspace_id = requested.workspace_id and id > requested.after
        order by id limit requested.row_limit`,
        '$4',
      )}
      ) page
    order by requested.n`,
};
