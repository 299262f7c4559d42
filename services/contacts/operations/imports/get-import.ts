import { notFound, uuidOf, type Operations } from '@roster/contracts';
import type { Handler } from '@roster/bus';
import type { Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { importColumns, importShape, type ImportRecord } from '../../imports/import-shape.js';

type GetImport = Operations['imports.get'];

/** Runs one statement per batch. */
export const getImport =
  ({ database }: ContactsService): Handler<GetImport> =>
  async (calls) => {
    const rows = await database.query<ImportRecord & { n: number }>(select, [
      calls.map(({ caller }) => uuidOf('workspace', caller.workspaceId)),
      calls.map(({ input }) => uuidOf('import', input.importId)),
    ]);
    const found = new Map(rows.map((row) => [row.n, row]));
    return calls.map((_, index) => {
      const record = found.get(index + 1);
      return record ? { import: importShape(record) } : notFound('import');
    });
  };

const select: Statement = {
  name: 'imports.get',
  text: `
    select requested.n::int, ${importColumns('i')}
    from unnest($1::uuid[], $2::uuid[]) with ordinality as requested (workspace_id, id, n)
      join contacts.imports i using (workspace_id, id)`,
};
