import type { Session, Statement } from './database.js';

/** Rows that one call deletes: a fraction of a second of work. */
const rowsMax = 500;

export interface DeletedPortion {
  deleted: number;
  /** Whether no row was left. */
  isDone: boolean;
}

/**
 * Deletes the next rows of a workspace from the tables of a schema: of every table with a `workspace_id`, as the catalog lists them,
 * so that no new table is forgotten. Tables are emptied in the order of their names; a table whose rows reference another one comes
 * before it. Idempotent, and bounded.
 *
 * @param workspaceId UUID
 */
export async function deleteWorkspaceRows(
  session: Session,
  schema: string,
  workspaceId: string,
): Promise<DeletedPortion> {
  const tables = await session.query<{ name: string; is_partitioned: boolean }>(listTables, [
    schema,
  ]);
  for (const { name, is_partitioned: isPartitioned } of tables) {
    const table = `${schema}.${name}`;
    const statement = deleteBy(isPartitioned ? 'id' : 'ctid', table);
    const rows = await session.query<object>(statement, [workspaceId, rowsMax]);
    if (rows.length > 0) return { deleted: rows.length, isDone: false };
  }
  return { deleted: 0, isDone: true };
}

const listTables: Statement = {
  name: 'workspace-deletion.tables',
  plan: 'any',
  text: `
    select c.relname as name, c.relkind = 'p' as is_partitioned
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    where n.nspname = $1 and c.relkind in ('r', 'p') and not c.relispartition
    order by c.relname`,
};

/**
 * Rows are found by the primary key, which begins with the workspace.
 *
 * @param key `ctid`, the place of a row; `id` in a partitioned table, where rows of several partitions can have the same place
 */
const deleteBy = (key: 'ctid' | 'id', table: string): Statement => ({
  name: `workspace-deletion.${table}`,
  text: `
    delete from ${table} where workspace_id = $1 and ${key} = any (array(
      select ${key} from ${table} where workspace_id = $1 limit $2
    )) returning 1`,
});
