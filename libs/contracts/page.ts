import { z } from 'zod';
import { invalidFields } from './fault.js';
import { decodeId, encodeId, idPrefixes, type IdKind } from './ids.js';

/** Maximum number of entries on a page, unless the list has its own. */
export const pageMax = 100;

/**
 * @param entries the noun of the list, in the plural
 * @param details further sentences of the description
 */
export const limitInput = (entries: string, details = '') =>
  z
    .int()
    .min(1)
    .default(50)
    .transform((limit) => Math.min(limit, pageMax))
    .meta({
      description:
        `Maximum number of ${entries} to return. Values above ${pageMax} are reduced to ${pageMax}. ${details}`.trimEnd(),
    });

/** Fields of the input of a list that select a page of it. The others select the list. */
export const positionFields = ['after', 'before', 'from', 'offset'] as const;

/**
 * Maximum size of `pagination` as JSON, with its name. It is the last field of the result of a list: the gateway finds it at the
 * end of the bytes, without parsing the list.
 */
export const paginationBytesMax = 1024;

export const cursorInput = z.string().max(64).optional();

/** Input of a list that is read in one direction. */
export const afterInput = cursorInput.meta({
  description: 'Cursor: `pagination.next` of the previous page.',
});

/** Output of a list that is read in one direction. */
export const forwardPagination = z.object({
  limit: z.int().meta({ description: 'Limit that was applied.' }),
  next: z
    .string()
    .nullable()
    .meta({ description: 'Cursor of the next page; null on the last page.' }),
});

/** Positions in a list in the order of its IDs: the ID without its prefix. Opaque to clients. */
export function idCursor(kind: IdKind) {
  const prefix = `${idPrefixes[kind]}_`;
  /** Undefined if the text is not a cursor. */
  const uuid = (cursor: string): string | undefined => decodeId(kind, prefix + cursor);
  return {
    of: (id: string): string => id.slice(prefix.length),
    ofUuid: (id: string): string => encodeId(kind, id).slice(prefix.length),
    uuid,
    /** @throws Fault `invalid` if `after` is not a cursor */
    uuidOfAfter(after: string): string {
      const found = uuid(after);
      if (found === undefined) throw invalidAfter;
      return found;
    },
  };
}

const invalidAfter = invalidFields([
  { pointer: '/after', message: 'must be a cursor from `pagination.next`' },
]);
