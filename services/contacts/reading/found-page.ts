import { packedContactsBy } from './contact.js';
import type { BoundedPage } from './bounded-page.js';

/** A page of a search, with one contact more than requested if there is one. */
export interface FoundPage extends BoundedPage {
  ids: string[] | null;
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
 * @param bytesMax maximum size of the text; a parameter
 */
export const foundPage = (rows: string, key: string, rowsMax: string, bytesMax: string): string => `
  select case when octet_length(packed) <= ${bytesMax}::int then packed end as text,
    octet_length(packed) as bytes, ids, last_key, found, last_at
  from (
    select ${packedContactsBy('at')} as packed, array_agg(id::text order by at) as ids,
      (array_agg(${key}::text order by at))[${rowsMax}::int - 1] as last_key,
      count(*)::int as found, max(at)::int as last_at
    from ${rows} offset 0
  ) p`;
