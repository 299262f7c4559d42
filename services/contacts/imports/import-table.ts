import type { Call } from '@roster/bus';
import { notFound, uuidOf } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import { claimStatement } from '../jobs/claim-statement.js';
import type { ClaimedJob } from '../jobs/job-runner.js';
import { endOf, importColumns, type ImportRecord } from './import-shape.js';

export interface ClaimedImport extends ClaimedJob {
  format: 'csv' | 'ndjson';
  mode: 'upsert' | 'skip';
  events: 'each' | 'summary';
  dry_run: boolean;
  resubscribe: boolean;
  chunk: number;
  position: number;
}

export const claimImport = claimStatement('imports.claim', 'contacts.imports', [
  ...['format', 'mode', 'events', 'dry_run', 'resubscribe', 'chunk', 'position'],
]);

export const selectChunk: Statement = {
  name: 'imports.select-chunk',
  text: 'select rows from contacts.import_chunks where workspace_id = $1 and import_id = $2 and ordinal = $3',
};

/**
 * Records the outcome of a slice, whose contacts and events are not younger than $15. With its last row ($9), a chunk is deleted.
 * Errors beyond the number $10 of rows with errors or notices are not kept.
 */
export const advanceImport: Statement = {
  name: 'imports.advance',
  text: `
    with deleted as (
      delete from contacts.import_chunks c using contacts.imports i
      where $9::boolean and i.workspace_id = $1 and i.id = $2
        and c.workspace_id = i.workspace_id and c.import_id = i.id and c.ordinal = i.chunk
      returning octet_length(c.rows) as bytes
    ), kept as (
      insert into contacts.import_errors (workspace_id, import_id, "row", n, pointer, code, message, text)
      select $1, $2, e."row", row_number() over (partition by e."row" order by e.at), e.pointer, e.code, e.message, e.text
      from unnest($11::int[], $12::text[], $13::text[], $14::text[], $16::text[])
          with ordinality as e ("row", pointer, code, message, text, at)
        join contacts.imports i on i.workspace_id = $1 and i.id = $2 and i.failed + i.notices < $10::int
      on conflict do nothing
    )
    update contacts.imports i
    set created = created + $3, updated = updated + $4, skipped = skipped + $5, failed = failed + $6,
      notices = notices + $17::int,
      chunk = $7, position = $8, attempts = 0,
      bytes = bytes - coalesce((select bytes from deleted), 0),
      status = case when $7 = chunks then 'completed' else 'running' end,
      written_at = greatest(written_at, $15::timestamptz),
      ended_at = case when $7 = chunks then greatest(${endOf('i')}, $15) end
    where workspace_id = $1 and id = $2
    returning ${importColumns('i')}`,
};

/**
 * After a failed slice, lets other imports be claimed first. After $4 failures that no retry is expected to end, the import fails.
 */
export const postponeImport: Statement = {
  name: 'imports.postpone',
  text: `
    update contacts.imports i
    set attempts = attempts + $3::int, next_at = now() + interval '2 seconds',
      status = case when attempts + $3 >= $4::int then 'failed' else status end,
      reason = case when attempts + $3 >= $4 then 'An internal error occurred.' end,
      ended_at = case when attempts + $3 >= $4 then ${endOf('i')} end
    where workspace_id = $1 and id = $2 and status in ('queued', 'running')
    returning ${importColumns('i')}`,
};

export interface LockedImport extends ImportRecord {
  chunks: number;
}

/**
 * Locks the import of a call until the transaction ends.
 *
 * @throws Fault `not_found`
 */
export async function lockImport(
  { caller, input }: Call<{ importId: string }>,
  inner: Session,
): Promise<LockedImport> {
  const key = [uuidOf('workspace', caller.workspaceId), uuidOf('import', input.importId)];
  const [found] = await inner.query<LockedImport>(lock, key);
  if (!found) throw notFound('import');
  return found;
}

const lock: Statement = {
  name: 'imports.lock',
  text: `
    select i.chunks, ${importColumns('i')}
    from contacts.imports i where i.workspace_id = $1 and i.id = $2 for update`,
};
