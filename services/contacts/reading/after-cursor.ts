import { invalidFields } from '@roster/contracts';

/** Precedes the ID of every row. */
export const beginning = '00000000-0000-0000-0000-000000000000';

/** The ID after which a page begins. Undefined if `after` is not a cursor. */
export const firstAfter = (
  { after }: { after?: string | undefined },
  cursor: { uuid(text: string): string | undefined },
): string | undefined => (after === undefined ? beginning : cursor.uuid(after));

export const badCursor = invalidFields([
  { pointer: '/after', message: 'must be a cursor from `pagination.next`' },
]);
