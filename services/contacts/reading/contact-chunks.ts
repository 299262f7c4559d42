import type { Database, Statement } from '@roster/storage';
import { packedContacts, unpackContacts } from './contact.js';
import type { WriteContact } from './unsubscribe-links.js';

/** Approximate size of the contacts that are read at once. */
const chunkBytes = 256 * 1024;

/** Selects the IDs of a page. */
export const pageIds = (rows: string): string =>
  `select string_agg(id::text, ',' order by id) as ids from (${rows}) c`;

/** @param ids result of `pageIds` */
export const splitIds = (ids: string | null): string[] => ids?.split(',') ?? [];

/**
 * The contacts of a page as JSON text, separated by commas, in chunks. Contacts that were deleted meanwhile are omitted.
 *
 * @param ids in the order of the page
 * @param pageBytes approximate size of all contacts
 */
export async function* contactChunks(
  database: Database,
  workspaceId: string,
  ids: readonly string[],
  pageBytes: number,
  write: WriteContact = ({ json }) => json,
): AsyncGenerator<string> {
  const count = Math.max(1, Math.floor((ids.length * chunkBytes) / pageBytes));
  let separator = '';
  for (let from = 0; from < ids.length; from += count) {
    const some = ids.slice(from, from + count);
    const [row] = await database.query<{ text: string | null }>(select, [workspaceId, some]);
    const contacts = new Map(
      unpackContacts(row!.text).map((contact) => [contact.id, write(contact)]),
    );
    if (contacts.size === 0) continue;
    yield separator + some.flatMap((id) => contacts.get(id) ?? []).join(',');
    separator = ',';
  }
}

const select: Statement = {
  name: 'contacts.chunk',
  text: `
    select ${packedContacts} as text from contacts.contacts
    where workspace_id = $1::uuid and id = any ($2::uuid[])`,
};
