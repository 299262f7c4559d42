import type { ContactSort } from '@roster/contracts';
import type { Database, Statement } from '@roster/storage';
import { matches } from './conditions.js';
import { contactsOfWorkspace, foundPage, type FoundPage, type Search } from './search.js';

/** The contacts that match, among those that were read. */
export interface Walk extends FoundPage {
  /** Number of contacts that were read up to the last one of the page. */
  last_at: number | null;
  /** Position of the last contact that was read, if the page is not full and more contacts follow. */
  walked_to: string | null;
  /** Number of contacts that match before the page: fewer than the offset if the page is empty. */
  skipped: number;
  /** Number of contacts in the workspace. */
  contacts: number;
}

/**
 * Reads contacts in the order of the list until the page is full, at most `rows` of them. Cheap if many match.
 *
 * @param rows how many contacts are read at most
 */
export async function walkContacts(
  database: Database,
  search: Search,
  rows: number,
): Promise<Walk> {
  const { sort, values, position, limit, offset, conditions } = search;
  const source = sort !== 'email' && conditions.includes('unsubscribed') ? 'unsubscribed' : 'all';
  const [walk] = await database.query<Walk>(statements[sort][source], [
    ...values,
    position.above,
    position.below,
    position.aboveEmail,
    rows,
    limit + 1,
    offset,
  ]);
  return walk!;
}

const idRange = `workspace_id = $1::uuid and id > $12::uuid and id < $13::uuid`;
const emailRange = `workspace_id = $1::uuid and email_key > $14::text collate "C"`;
const unsubscribed = `${idRange} and status = 'unsubscribed'`;

function walk(name: string, range: string, order: string, key: string): Statement {
  const rows = (columns: string, more: string) =>
    `select ${columns} from contacts.contacts where ${range} order by ${order} ${more}`;
  return {
    name,
    text: `
      with matching as (
        select * from (
          select c.*, row_number() over () as at from (${rows('*', 'limit $15::int')}) c
          where $12::uuid is not null and $13::uuid is not null and $14::text is not null
        ) c
        where ${matches} limit $16::int offset $17::int
      )
      select page.*,
        case when page.found < $16::int then (${rows(key, 'limit 1 offset $15::int - 1')})::text end as walked_to,
        case when page.found > 0 or $17::int = 0 then $17::int else (
          select count(*)::int from (${rows('*', 'limit $15::int')}) c where ${matches}
        ) end as skipped,
        ${contactsOfWorkspace} as contacts
      from (${foundPage('matching', key, '$16')}) page`,
  };
}

const statements: Record<ContactSort, { all: Statement; unsubscribed: Statement }> = {
  createdAt: {
    all: walk('contacts.find-in-order', idRange, 'id', 'id'),
    unsubscribed: walk('contacts.find-unsubscribed', unsubscribed, 'id', 'id'),
  },
  '-createdAt': {
    all: walk('contacts.find-newest', idRange, 'id desc', 'id'),
    unsubscribed: walk('contacts.find-newest-unsubscribed', unsubscribed, 'id desc', 'id'),
  },
  email: (() => {
    const all = walk('contacts.find-by-email-order', emailRange, 'email_key', 'email_key');
    return { all, unsubscribed: all };
  })(),
};
