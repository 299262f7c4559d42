import type { Database, Statement } from '@roster/storage';
import { matches } from './conditions.js';
import { beginning, end } from './page.js';
import { contactsOfWorkspace, type Search } from './search.js';

/** Whether an index alone shows how many contacts match, so that none is read. */
export const isIndexed = ({ conditions: [condition, ...others] }: Search): boolean =>
  others.length === 0 && ['subscribed', 'unsubscribed', 'created'].includes(condition!);

/** Number of contacts that match; undefined if more of them are in the index than are counted. Requires `isIndexed`. */
export async function countInIndex(
  database: Database,
  { values, conditions: [condition], limits }: Search,
): Promise<number | undefined> {
  const [workspaceId, , , , , after, before] = values;
  const max = limits.counted + 1;
  const [row] = await (condition === 'created'
    ? database.query<Counted>(byCreation, [workspaceId, max, after, before])
    : database.query<Counted>(unsubscribed, [workspaceId, max]));
  const { counted, contacts } = row!;
  if (counted > limits.counted) return undefined;
  return condition === 'subscribed' ? contacts - counted : counted;
}

interface Counted {
  counted: number;
  /** Number of contacts in the workspace. */
  contacts: number;
}

/** Number of contacts that match among the first ones of the workspace, at most one more than are counted. */
export async function countFromStart(
  database: Database,
  { values, limits }: Search,
): Promise<number> {
  const [row] = await database.query<{ counted: number }>(fromStart, [
    ...values,
    limits.countedRows,
    limits.counted + 1,
  ]);
  return row!.counted;
}

const counted = (rows: string, max: string): string => `
  select count(*)::int as counted, ${contactsOfWorkspace} as contacts from (${rows} limit ${max}::int) c`;

/**
 * The subscribed contacts are the others. The comparisons of both columns keep the planner from reading all contacts of the workspace
 * with `contacts_search`.
 */
const unsubscribed: Statement = {
  name: 'contacts.count-unsubscribed',
  text: counted(
    `
    select id from contacts.contacts
    where (workspace_id, id) > ($1::uuid, '${beginning}') and (workspace_id, id) < ($1::uuid, '${end}') and status = 'unsubscribed'
    order by workspace_id, id`,
    '$2',
  ),
};

const byCreation: Statement = {
  name: 'contacts.count-by-creation',
  text: counted(
    `
    select created_at from contacts.contacts
    where workspace_id = $1::uuid and created_at > coalesce($3::timestamptz, '-infinity')
      and created_at < coalesce($4::timestamptz, 'infinity')
    order by created_at`,
    '$2',
  ),
};

const fromStart: Statement = {
  name: 'contacts.count-from-start',
  text: counted(
    `
    select 1 from (
      select * from contacts.contacts where workspace_id = $1::uuid order by id limit $12::int
    ) c where ${matches}`,
    '$13',
  ),
};
