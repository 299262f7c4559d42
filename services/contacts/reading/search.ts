import {
  contactPosition,
  invalidFields,
  type Caller,
  type ContactSort,
  type Fault,
} from '@roster/contracts';
import { packedContactsBy } from './contact.js';
import { conditionsOf, conditionValues, type Condition, type FindInput } from './conditions.js';

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
};
export type SearchLimits = typeof searchLimits;

/** A page that is searched for. */
export interface Search {
  sort: ContactSort;
  conditions: Condition[];
  /** The values of `$1` to `$11`: the workspace and the conditions. */
  values: unknown[];
  /** The page is between these positions, exclusively. */
  position: { above: string; below: string; aboveEmail: string };
  /** Whether the list is read from its beginning. */
  isFirst: boolean;
  limit: number;
  offset: number;
  counted: boolean;
  limits: SearchLimits;
}

/** @returns a fault if `after` is no cursor of the order */
export function searchOf(
  { workspaceId }: Caller,
  input: FindInput,
  limits: SearchLimits,
): Search | Fault {
  const { sort = 'createdAt', after, limit, offset, counted } = input;
  const key = after === undefined ? undefined : contactPosition.read(sort, after);
  if (after !== undefined && key === undefined) return otherCursor(sort);
  const values = conditionValues(workspaceId, input);
  const [first, last] = [values[5] as string, values[6] as string];
  return {
    sort,
    conditions: conditionsOf(input),
    values,
    position: {
      above: sort === 'createdAt' && key !== undefined && key > first ? key : first,
      below: sort === '-createdAt' && key !== undefined && key < last ? key : last,
      aboveEmail: (sort === 'email' && key) || '',
    },
    isFirst: key === undefined,
    limit,
    offset,
    counted,
    limits,
  };
}

const otherCursor = (sort: ContactSort): Fault =>
  invalidFields([
    {
      pointer: '/after',
      message: `must be a cursor from \`pagination.next\` of a list in the same order (\`sort=${sort}\`)`,
    },
  ]);

/** Number of contacts in the workspace `$1`. */
export const contactsOfWorkspace =
  '(select coalesce(sum(total), 0) from contacts.counters where workspace_id = $1::uuid)::float8';

/** A page of a search, with one contact more than requested if there is one. */
export interface FoundPage {
  /** Null if it is empty. */
  text: string | null;
  /** The ID or, for the order `email`, the normal form of the email address of the last requested contact. */
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
