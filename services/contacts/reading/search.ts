import {
  contactPosition,
  invalidFields,
  type Caller,
  type ContactSort,
  type Fault,
} from '@roster/contracts';
import { beginning } from './after-cursor.js';
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
  /** Maximum size of a page that is read at once. */
  bytesMax: number;
  limits: SearchLimits;
}

const end = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const bytesMax = 512 * 1024;

/** @returns a fault if `after` is no cursor of the order */
export function searchOf(
  { workspaceId }: Caller,
  input: FindInput,
  limits: SearchLimits,
): Search | Fault {
  const { sort = 'createdAt', after, limit, offset, counted } = input;
  const key = after === undefined ? undefined : contactPosition.read(sort, after);
  if (after !== undefined && key === undefined) return otherCursor(sort);
  return {
    sort,
    conditions: conditionsOf(input),
    values: conditionValues(workspaceId, input),
    position: {
      above: (sort === 'createdAt' && key) || beginning,
      below: (sort === '-createdAt' && key) || end,
      aboveEmail: (sort === 'email' && key) || '',
    },
    isFirst: key === undefined,
    limit,
    offset,
    counted,
    bytesMax,
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
