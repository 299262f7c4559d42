import { Fault, importLimits, type Operations } from '@roster/contracts';
import { each, type SessionHandler, type Statement } from '@roster/storage';
import { lockImport } from '../../imports/import-table.js';
import type { StoredRow } from '../../imports/import-chunks.js';

type AppendImport = Operations['imports.append'];

/** Stores a chunk. A chunk that is stored already is ignored: the call may be a repetition. */
export const appendImport: SessionHandler<AppendImport> = each<AppendImport>((call, session) =>
  session.transaction(async (inner) => {
    const { workspace_id, id, status } = await lockImport(call, inner);
    const { ordinal, rows, texts = [], header } = call.input;
    if (status !== 'uploading')
      throw new Fault('conflict', `The import does not receive rows: its status is ${status}.`);
    const stored = rows.map((row, at): StoredRow => ({ ...row, text: texts[at] ?? undefined }));
    const text = JSON.stringify(stored);
    const [outcome] = await inner.query<{ fits: boolean }>(append, [
      ...[workspace_id, id, ordinal, text, rows.length, Buffer.byteLength(text)],
      ...[importLimits.bytes, importLimits.rows],
      header ? JSON.stringify(header) : null,
    ]);
    if (!outcome!.fits) throw tooLarge;
    return { received: true };
  }),
);

const tooLarge = new Fault(
  'limit_reached',
  `The imports of a workspace can store at most ${importLimits.bytes} bytes at once, and an import ${importLimits.rows} rows.`,
);

const append: Statement = {
  name: 'imports.append',
  text: `
    with room as (
      select coalesce(sum(bytes), 0) + $6::int <= $7::bigint
        and coalesce(max(total) filter (where id = $2), 0) + $5::int <= $8::int as fits
      from contacts.imports where workspace_id = $1::uuid and (bytes > 0 or id = $2::uuid)
    ), stored as (
      insert into contacts.import_chunks (workspace_id, import_id, ordinal, rows)
      select $1, $2, $3::int, $4 from room where fits
      on conflict (workspace_id, import_id, ordinal) do nothing
      returning 1
    ), counted as (
      update contacts.imports
      set chunks = chunks + 1, total = total + $5, bytes = bytes + $6, received_at = now(),
        header = coalesce(header, $9::text)
      where workspace_id = $1 and id = $2 and exists (select from stored)
    )
    select fits or exists (
      select from contacts.import_chunks where workspace_id = $1 and import_id = $2 and ordinal = $3
    ) as fits from room`,
};
