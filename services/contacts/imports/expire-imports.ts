import type { Session, Statement } from '@roster/storage';
import type { ContactsService } from '../service.js';
import { announceImports } from './announce-imports.js';
import { endOf, importColumns, type ImportRecord } from './import-shape.js';

/** Fails uploads that receive nothing, and deletes what imports that have ended leave behind. Any process may run it. */
export async function expireImports(
  service: Pick<ContactsService, 'database' | 'ids' | 'outbox' | 'activity'>,
): Promise<void> {
  const { database } = service;
  let failed: ImportRecord[];
  do
    failed = await database.transaction(async (inner) => {
      const imports = await inner.query<ImportRecord>(failAbandoned, []);
      await announceImports(service, inner, imports);
      return imports;
    });
  while (failed.length > 0);
  await untilDone(database, deleteChunks);
  await untilDone(database, deleteErrors);
  await untilDone(database, deleteImports);
}

/** Deletes in steps, so that no statement takes long. */
async function untilDone(session: Session, statement: Statement): Promise<void> {
  let rows: unknown[];
  do rows = await session.query(statement, []);
  while (rows.length > 0);
}

/** Imports of all workspaces: the time of the last chunk decides, not the workspace. */
const failAbandoned: Statement = {
  name: 'imports.fail-abandoned',
  text: `
    with expired as (
      select workspace_id, id from contacts.imports
      where status = 'uploading' and received_at < now() - interval '15 minutes' limit 50 for update skip locked
    )
    update contacts.imports i
    set status = 'failed', reason = 'The upload ended before all rows were received.', ended_at = ${endOf('i')}
    from expired e where i.workspace_id = e.workspace_id and i.id = e.id
    returning ${importColumns('i')}`,
};

/** In one statement with the bytes that count for the workspace. */
const deleteChunks: Statement = {
  name: 'imports.delete-chunks',
  text: `
    with ended as (
      select workspace_id, id from contacts.imports
      where bytes > 0 and ended_at is not null limit 1 for update skip locked
    ), step as (
      select c.workspace_id, c.import_id, c.ordinal from contacts.import_chunks c
        join ended e on e.workspace_id = c.workspace_id and e.id = c.import_id limit 50
    ), deleted as (
      delete from contacts.import_chunks c using step s
      where c.workspace_id = s.workspace_id and c.import_id = s.import_id and c.ordinal = s.ordinal
      returning octet_length(c.rows) as bytes
    )
    update contacts.imports i
    set bytes = coalesce(nullif(bytes, 0) - (select sum(bytes) from deleted), 0)
    from ended e where i.workspace_id = e.workspace_id and i.id = e.id
    returning i.id`,
};

const expired = `
  select workspace_id, id from contacts.imports where ended_at < now() - interval '30 days' and bytes = 0
  order by ended_at limit 10 for update skip locked`;

const deleteErrors: Statement = {
  name: 'imports.delete-errors',
  text: `
    with expired as (${expired}), step as (
      select e.workspace_id, e.import_id, e.row, e.n from contacts.import_errors e
        join expired x on x.workspace_id = e.workspace_id and x.id = e.import_id limit 1000
    )
    delete from contacts.import_errors e using step s
    where e.workspace_id = s.workspace_id and e.import_id = s.import_id and e.row = s.row and e.n = s.n
    returning 1`,
};

const deleteImports: Statement = {
  name: 'imports.delete',
  text: `
    with expired as (${expired})
    delete from contacts.imports i using expired x
    where i.workspace_id = x.workspace_id and i.id = x.id
      and not exists (select from contacts.import_errors e where e.workspace_id = i.workspace_id and e.import_id = i.id)
    returning 1`,
};
