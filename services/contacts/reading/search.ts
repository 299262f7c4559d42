import {
  contactPosition,
  invalidFields,
  lastIdBeside,
  sortedChars,
  type Caller,
  type ContactSort,
  type Fault,
} from '@roster/contracts';
import { packedContactsBy } from './contact.js';
import { conditionsOf, conditionValues, type Condition, type FindInput } from './conditions.js';
import type { PropertyTypes } from './value-filter.js';

/** Bounds on the work of a search. */
export const searchLimits = {
  /** Contacts that match are counted exactly up to this number. */
  counted: 10_000,
  /** Contacts that are read first: if many match, the page is among them. */
  firstRows: 2000,
  /** Contacts that are read if the page is neither among the first nor found by an index. The page may then be short. */
  rows: 20_000,
  /** The same with an offset, which must be complete. */
  offsetRows: 200_000,
  /** An index that finds more contacts than this takes longer than counting from the beginning of the list. */
  gathered: 100_000,
  /** Contacts from the beginning of the list among which those that match are counted. */
  countedRows: 50_000,
  /** Contacts that one statement reads when all that match are counted, and how long that may take. */
  exactRows: 20_000,
  exactMs: 3000,
  /** Contacts that are read to sort those that match. */
  sorted: 100_000,
};
export type SearchLimits = typeof searchLimits;

/** Orders in which contacts are read: that of the list, or its reverse for a page from its end. */
export const readings = [
  'id',
  'id desc',
  'email_key',
  'email_key desc',
  'name_key',
  'name_key desc',
  'change_key',
  'change_key desc',
] as const;
export type Reading = (typeof readings)[number];

const columns: Record<string, 'id' | 'email_key' | 'name_key' | 'change_key'> = {
  createdAt: 'id',
  email: 'email_key',
  name: 'name_key',
  updatedAt: 'change_key',
};

/** A page that is searched for. */
export interface Search {
  sort: ContactSort;
  reading: Reading;
  conditions: Condition[];
  /** The values of `$1` to `$15`: the workspace and the conditions. */
  values: unknown[];
  /** The page is between these keys of the order, exclusively: UUIDs of contacts or of their last changes, normal forms of addresses, or keys of names. */
  low: string | undefined;
  high: string | undefined;
  /** Whether the list is read from one of its ends to the other. */
  isWhole: boolean;
  limit: number;
  offset: number;
  counted: boolean;
  /** Whether no estimate is wanted. */
  isExact: boolean;
  limits: SearchLimits;
}

/**
 * A search in an order that an index has.
 *
 * @returns a fault if `after` or `before` is no cursor of the order
 */
export function searchOf(
  { workspaceId }: Caller,
  input: FindInput,
  limits: SearchLimits,
  types: PropertyTypes,
): Search | Fault {
  const { sort = 'createdAt', fromEnd = false, limit, offset, counted } = input;
  const [first, last] = [keyIn(sort, input.after), keyIn(sort, input.before)];
  const wrong = [first === null && 'after', last === null && 'before'].filter(
    (name) => name !== false,
  );
  if (first === null || last === null) return otherCursor(sort, wrong);
  const isDescending = sort.startsWith('-');
  const column = columns[sort.replace('-', '')]!;
  const [lowest, highest] = isDescending ? [last, first] : [first, last];
  return {
    sort,
    reading: isDescending === fromEnd ? column : `${column} desc`,
    conditions: conditionsOf(input, types),
    values: conditionValues(workspaceId, input, types),
    low: column === 'change_key' && lowest !== undefined ? lastIdBeside(lowest) : lowest,
    high: highest,
    isWhole: first === undefined && last === undefined,
    limit,
    offset,
    counted,
    isExact: input.count === 'exact',
    limits,
  };
}

/** Null if it is no cursor of the order. */
const keyIn = (sort: ContactSort, cursor: string | undefined): string | null | undefined =>
  cursor === undefined ? undefined : (contactPosition.read(sort, cursor) ?? null);

export const otherCursor = (sort: ContactSort, names: readonly string[]): Fault =>
  invalidFields(
    names.map((name) => ({
      pointer: `/${name}`,
      message: `must be a cursor from \`pagination.next\` of a list in the same order (\`sort=${sort}\`)`,
    })),
  );

/** Follows every address, whose part before the `@` has at most 64 bytes, and every key of a name. */
const endOfTexts = '\u{10FFFF}'.repeat(sortedChars + 1);

/**
 * The values of `$16` to `$19`: the page is between two IDs of contacts, or of changes in an order by them, in the period as well,
 * and between two texts.
 */
export function positionValues({ reading, low, high, values }: Search): unknown[] {
  const bounds = reading.startsWith('change_key') ? values.slice(13, 15) : values.slice(5, 7);
  const [first, last] = bounds as [string, string];
  if (isByText(reading)) return [first, last, low ?? '', high ?? endOfTexts];
  return [
    low !== undefined && low > first ? low : first,
    high !== undefined && high < last ? high : last,
    '',
    endOfTexts,
  ];
}

/** Whether contacts are read in the order of a text. */
const isByText = (reading: Reading): boolean =>
  reading.startsWith('email_key') || reading.startsWith('name_key');

/**
 * Whether a contact is between both.
 *
 * @param reading the parameter with the `Reading`
 */
export const inPosition = (reading: string): string => `
  case when starts_with(${reading}::text, 'change_key') then change_key else id end > $16::uuid
  and case when starts_with(${reading}::text, 'change_key') then change_key else id end < $17::uuid
  and case when starts_with(${reading}::text, 'name_key') then name_key else email_key end > $18::text collate "C"
  and case when starts_with(${reading}::text, 'name_key') then name_key else email_key end < $19::text collate "C"`;

/** Number of contacts in the workspace `$1`. */
export const contactsOfWorkspace =
  '(select coalesce(sum(total), 0) from contacts.counters where workspace_id = $1::uuid)::float8';

/** A page of a search, with one contact more than requested if there is one. */
export interface FoundPage {
  /** Null if it is empty. */
  text: string | null;
  /** The key of the last requested contact in its order: an ID, the normal form of an email address, or the key of a name. */
  last_key: string | null;
  found: number;
}

/**
 * Selects a `FoundPage` from rows of contacts whose column `at` is their order.
 *
 * @param rows a relation
 * @param key column of `last_key`
 * @param rowsMax number of requested contacts, and one more; a parameter
 */
export const foundPage = (rows: string, key: string, rowsMax: string): string => `
  select ${packedContactsBy('at')} as text, (array_agg(${key}::text order by at))[${rowsMax}::int - 1] as last_key,
    count(*)::int as found, max(at)::int as last_at
  from ${rows}`;
