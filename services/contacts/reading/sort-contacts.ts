import {
  contactPosition,
  invalidFields,
  propertyOfSort,
  propertyPosition,
  sortedChars,
  type Caller,
  type ContactPropertyType,
  type Fault,
  type PropertyPosition,
  type PropertySort,
} from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { conditionsOf, conditionValues, matches, type FindInput } from './conditions.js';
import { indexed, indexedBy, type IndexedContacts } from './indexed-contacts.js';
import { foundPage, otherCursor, type FoundPage, type SearchLimits } from './search.js';
import type { PropertyTypes } from './value-filter.js';

/** A page in the order of a property, with all that is known of the list. */
export interface SortedPage extends FoundPage {
  /** Number of contacts that match. */
  matched: number;
  /** Whether contacts that match are at the cursor, or skipped, on the side that the page is read from. */
  isBehind: boolean;
  /** Whether contacts that match are at the cursor, or beyond it, on the other side. */
  isBeyond: boolean;
}

/**
 * Reads all contacts that match, and sorts them: an index of each property would cost every write. One statement reads a limited number,
 * and PostgreSQL keeps those of the page only, with short keys of the others.
 *
 * @param type of the property
 * @param types those of the filter
 * @returns a fault if `after` or `before` is no cursor of the order, or too many contacts would have to be read
 */
export async function sortContacts(
  database: Database,
  { workspaceId }: Caller,
  input: FindInput & { sort: PropertySort },
  type: ContactPropertyType,
  types: PropertyTypes,
  { sorted: max }: SearchLimits,
): Promise<SortedPage | Fault> {
  const { sort, fromEnd = false, limit, offset } = input;
  const [first, last] = [positionIn(sort, input.after), positionIn(sort, input.before)];
  const wrong = [first === null && 'after', last === null && 'before'].filter(
    (name) => name !== false,
  );
  if (first === null || last === null) return otherCursor(sort, wrong);
  const isDescending = sort.startsWith('-');
  const isReverse = isDescending !== fromEnd;
  const [low, high] = isDescending ? [last, first] : [first, last];
  const source = indexedBy(conditionsOf(input, types)) ?? workspace;
  const [row] = await database.query<SortedRow>(statements.get(source)!, [
    ...conditionValues(workspaceId, input, types),
    ...boundOf(low),
    ...boundOf(high),
    max + 1,
    limit + 1,
    offset,
    isReverse,
    propertyOfSort(sort),
    type,
    isDescending,
  ]);
  const { examined, below, above, ...page } = row!;
  if (examined > max) return tooMany(max);
  const [behind, beyond] = isReverse ? [above, below] : [below, above];
  const isSkipped = offset > 0 && page.matched > below + above;
  return { ...page, isBehind: behind > 0 || isSkipped, isBeyond: beyond > 0 };
}

interface SortedRow extends FoundPage {
  /** Number of contacts that were read. */
  examined: number;
  matched: number;
  /** Numbers of contacts that match, up to the lower bound and from the upper one on. */
  below: number;
  above: number;
}

/** Null if it is no cursor of the order. */
function positionIn(
  sort: PropertySort,
  cursor: string | undefined,
): PropertyPosition | undefined | null {
  if (cursor === undefined) return undefined;
  const key = contactPosition.read(sort, cursor);
  return (key !== undefined && propertyPosition.read(sort, key)) || null;
}

/** The ID and the value in JSON. */
const boundOf = (position: PropertyPosition | undefined): (string | null)[] => [
  position?.id ?? null,
  position?.value === undefined ? null : JSON.stringify(position.value),
];

const tooMany = (max: number): Fault =>
  invalidFields([
    {
      pointer: '/sort',
      message: `would read more than ${max.toLocaleString('en')} contacts: restrict the list by a filter that an index finds, such as a tag, a value of a property or a period`,
    },
  ]);

/** In hexadecimal, so that the order of keys is that of bytes in which no text has a meaning. Null if it is not of the type `$25`. */
const valueKey = (value: string): string => `case $25::text
  when 'number' then case when jsonb_typeof(${value}) = 'number' then
    case when (${value})::float8 < 0 then '1' || ${reversed(`encode(float8send(-(${value})::float8), 'hex')`)}
      else '2' || encode(float8send((${value})::float8), 'hex') end end
  when 'boolean' then case ${value} when 'false'::jsonb then '1' when 'true'::jsonb then '2' end
  when 'date' then case when jsonb_typeof(${value}) = 'string' and ${value} #>> '{}' ~ '^\\d{4}-\\d{2}-\\d{2}$' then ${value} #>> '{}' end
  else case when jsonb_typeof(${value}) = 'string' then
    encode(convert_to(lower(left(${value} #>> '{}', ${sortedChars}) collate "C"), 'UTF8'), 'hex') end
  end`;

/** Hexadecimal text in the opposite order. */
const reversed = (hex: string): string =>
  `translate(${hex}, '0123456789abcdef', 'fedcba9876543210')`;

/**
 * The value and the ID in one text, without which contacts are the last ones in both directions, in the order of their IDs. The point
 * precedes all digits: a text precedes those that it begins.
 */
const sortKey = (value: string, id: string): string => `(coalesce(
  '1' || (${valueKey(value)}) || '.' || ${id}::text,
  case when $26::boolean then '0' || ${reversed(`${id}::text`)} else '2' || ${id}::text end
) collate "C")`;

const boundKey = (id: string, value: string): string =>
  `case when ${id}::uuid is not null then ${sortKey(`${value}::jsonb`, `${id}::uuid`)} end`;

const inOrder = 'case when not $23::boolean then key end, case when $23::boolean then key end desc';

/** Materialized without a limit, as in `gatherContacts`. */
const sort = ({ name, rows, remaining }: IndexedContacts): Statement => ({
  name: `contacts.sort-${name}`,
  text: `
    with bounds as materialized (
      select coalesce(${boundKey('$16', '$17')}, '') as low, coalesce(${boundKey('$18', '$19')}, '~') as high
    ), candidates as materialized (
      select id, case when ${remaining} then ${sortKey('(properties -> $24::text)', 'id')} end as key from (${rows}) c
    ), examined as materialized (
      select * from candidates limit $20::int
    ), sorted as materialized (
      select id, key from examined where key > (select low from bounds) and key < (select high from bounds)
      order by ${inOrder} limit $21::int offset $22::int
    ), matching as (
      select c.*, at from (select id, row_number() over (order by ${inOrder}) as at from sorted) s,
        lateral (select * from contacts.contacts where workspace_id = $1::uuid and id = s.id offset 0) c
    )
    select page.*, counts.*
    from (${foundPage('matching', 'id', '$21')}) page, (
      select count(*)::int as examined, count(key)::int as matched,
        (count(*) filter (where key <= low))::int as below, (count(*) filter (where key >= high))::int as above
      from examined, bounds
    ) counts`,
});

/** All contacts, where no index finds those that match. */
const workspace: IndexedContacts = {
  name: 'workspace',
  covers: [],
  rows: 'select * from contacts.contacts where workspace_id = $1::uuid order by id limit $20::int',
  remaining: matches,
};

const statements = new Map([...indexed, workspace].map((source) => [source, sort(source)]));
