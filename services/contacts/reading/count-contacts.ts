import type { Database, Statement } from '@roster/storage';
import { matches } from './conditions.js';
import type { Search } from './search.js';

/** Whether an index alone shows how many contacts match, so that none is read. */
export const isIndexed = ({ conditions: [condition, ...others] }: Search): boolean =>
  others.length === 0 && (condition === 'status' || condition === 'created');

/** Number of contacts that match, at most one more than are counted. Requires `isIndexed`. */
export async function countInIndex(
  database: Database,
  { values, limits }: Search,
): Promise<number> {
  const [workspaceId, , , , status, after, before] = values;
  const [row] = await (status === null
    ? database.query<{ counted: number }>(byCreation, [
        workspaceId,
        limits.counted + 1,
        after,
        before,
      ])
    : database.query<{ counted: number }>(byStatus, [workspaceId, limits.counted + 1, status]));
  return row!.counted;
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

const counted = (rows: string, max: string): string =>
  `select count(*)::int as counted from (${rows} limit ${max}::int) c`;

const byStatus: Statement = {
  name: 'contacts.count-by-status',
  text: counted(
    `
    select id from contacts.contacts where workspace_id = $1::uuid and status = $3::text order by id`,
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
