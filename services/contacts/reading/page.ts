import { invalidFields } from '@roster/contracts';
import type { PackedContact } from './contact.js';

/** Precedes the ID of every row. */
export const beginning = '00000000-0000-0000-0000-000000000000';

/** Follows the ID of every row. */
export const end = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The ID after which a page begins. Undefined if `after` is not a cursor. */
export const firstAfter = (
  { after }: { after?: string | undefined },
  cursor: { uuid(text: string): string | undefined },
): string | undefined => (after === undefined ? beginning : cursor.uuid(after));

export const badCursor = invalidFields([
  { pointer: '/after', message: 'must be a cursor from `pagination.next`' },
]);

/** Maximum bytes of the contacts of a page: 100 of the largest, with the spaces that PostgreSQL puts into JSON. */
const bytesMax = 1_030_000;

/**
 * How many of the first contacts make up a page: all, unless they are larger than `contactLimits` allow, as those of an earlier
 * release can be. At least one.
 */
export function fittingCount(contacts: readonly Pick<PackedContact, 'json'>[]): number {
  let bytes = 0;
  const end = contacts.findIndex(({ json }) => (bytes += Buffer.byteLength(json)) > bytesMax);
  return end === -1 ? contacts.length : Math.max(end, 1);
}
