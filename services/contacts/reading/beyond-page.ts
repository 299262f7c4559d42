import type { Database, Statement } from '@roster/storage';
import { matches, nameKeyOf } from './conditions.js';
import type { FilterSizes } from './filter-sizes.js';
import { findPage } from './find-page.js';
import type { Search } from './search.js';

/**
 * Whether contacts that match are at the cursor on one side of a page, or beyond it. Also true if too many contacts would have to be
 * read to know.
 *
 * @param side the one that the page is read from, where an offset skips contacts, or the other one
 */
export async function hasBeyond(
  database: Database,
  search: Search,
  sizes: FilterSizes,
  side: 'start' | 'end',
): Promise<boolean> {
  const { reading, low, high } = search;
  const [column, direction] = reading.split(' ') as [Column, 'desc'?];
  const isLow = (direction === undefined) === (side === 'start');
  const cursor = isLow ? low : high;
  const isSkipped = side === 'start' && search.offset > 0;
  if (cursor === undefined && !isSkipped) return false;
  const isKey = cursor !== undefined && column !== 'change_key';
  if (isKey && (await isMatch(database, search, column, cursor))) return true;
  const range = isSkipped ? { low, high } : { low: cursor, high: cursor };
  const { page, nextKey } = await findPage(
    database,
    {
      ...search,
      ...range,
      [isLow ? 'low' : 'high']: undefined,
      reading: isLow ? `${column} desc` : column,
      isWhole: false,
      limit: 1,
      offset: 0,
      counted: false,
    },
    sizes,
  );
  return page.found > 0 || nextKey !== null;
}

/** A cursor of changes is a time: the page beyond it includes the contact that changed then. */
type Column = keyof typeof selectMatch | 'change_key';

/** The contact at a cursor usually still matches: one row is read. */
async function isMatch(
  database: Database,
  { values }: Search,
  column: keyof typeof selectMatch,
  key: string,
): Promise<boolean> {
  const [row] = await database.query<object>(selectMatch[column], [...values, key]);
  return row !== undefined;
}

const select = (name: string, key: string): Statement => ({
  name,
  text: `select 1 from contacts.contacts where workspace_id = $1::uuid and ${key} and ${matches}`,
});

const selectMatch = {
  id: select('contacts.match-id', 'id = $16::uuid'),
  email_key: select('contacts.match-email', 'email_key = $16::text collate "C"'),
  name_key: select('contacts.match-name', `${nameKeyOf('name', 'id')} = $16::text collate "C"`),
};
