import type { Database, Statement } from '@roster/storage';
import { changeKey, matches, nameKeyOf } from './conditions.js';
import {
  contactsOfWorkspace,
  foundPage,
  positionValues,
  type FoundPage,
  type Reading,
  type Search,
} from './search.js';

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
 * Reads contacts in the order of the search until the page is full, at most `rows` of them. Cheap if many match.
 *
 * @param rows how many contacts are read at most
 */
export async function walkContacts(
  database: Database,
  search: Search,
  rows: number,
): Promise<Walk> {
  const { reading, values, limit, offset, conditions } = search;
  const source = conditions.includes('unsubscribed') ? 'unsubscribed' : 'all';
  const [walk] = await database.query<Walk>(statements[reading][source], [
    ...values,
    ...positionValues(search),
    rows,
    limit + 1,
    offset,
  ]);
  return walk!;
}

const idRange = `workspace_id = $1::uuid and id > $16::uuid and id < $17::uuid`;
const emailRange = `workspace_id = $1::uuid and email_key > $18::text collate "C" and email_key < $19::text collate "C"`;
const nameRange = `workspace_id = $1::uuid and ${nameKeyOf('name', 'id')} > $18::text collate "C" and ${nameKeyOf('name', 'id')} < $19::text collate "C"`;
const changeRange = `workspace_id = $1::uuid and ${changeKey} > $16::uuid and ${changeKey} < $17::uuid`;
const unsubscribed = `${idRange} and status = 'unsubscribed'`;

function walk(name: string, range: string, reading: Reading): Statement {
  const rows = (columns: string, more: string) =>
    `select ${columns} from contacts.contacts where ${range} order by ${inTerms(reading)} ${more}`;
  const key = inTerms(reading).replace(' desc', '');
  return {
    name,
    // Every parameter must occur.
    text: `
      with matching as (
        select * from (
          select c.*, row_number() over () as at from (${rows('*', 'limit $20::int')}) c
          where num_nulls($16::uuid, $17::uuid) + num_nulls($18::text, $19::text) = 0
        ) c
        where ${matches} limit $21::int offset $22::int
      )
      select page.*,
        case when page.found < $21::int then (${rows(key, 'limit 1 offset $20::int - 1')})::text end as walked_to,
        case when page.found > 0 or $22::int = 0 then $22::int else (
          select count(*)::int from (${rows('*', 'limit $20::int')}) c where ${matches}
        ) end as skipped,
        ${contactsOfWorkspace} as contacts
      from (${foundPage('matching', key, '$21')}) page`,
  };
}

/** With expressions that an index has. */
const inTerms = (reading: Reading): string =>
  reading.replace('change_key', changeKey).replace('name_key', nameKeyOf('name', 'id'));

const byId = (all: string, onlyUnsubscribed: string, reading: Reading) => ({
  all: walk(all, idRange, reading),
  unsubscribed: walk(onlyUnsubscribed, unsubscribed, reading),
});

const by = (range: string, name: string, reading: Reading) => {
  const all = walk(name, range, reading);
  return { all, unsubscribed: all };
};

const statements: Record<Reading, { all: Statement; unsubscribed: Statement }> = {
  id: byId('contacts.find-in-order', 'contacts.find-unsubscribed', 'id'),
  'id desc': byId('contacts.find-newest', 'contacts.find-newest-unsubscribed', 'id desc'),
  email_key: by(emailRange, 'contacts.find-by-email-order', 'email_key'),
  'email_key desc': by(emailRange, 'contacts.find-by-last-emails', 'email_key desc'),
  name_key: by(nameRange, 'contacts.find-in-order-of-names', 'name_key'),
  'name_key desc': by(nameRange, 'contacts.find-by-last-names', 'name_key desc'),
  change_key: by(changeRange, 'contacts.find-in-order-of-changes', 'change_key'),
  'change_key desc': by(changeRange, 'contacts.find-last-changed', 'change_key desc'),
};
