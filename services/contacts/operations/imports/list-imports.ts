import type { Handler } from '@roster/bus';
import { importCursor, uuidOf, type Operations } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { ContactsService } from '../../service.js';
import { importColumns, importShape, type ImportRecord } from '../../imports/import-shape.js';

type ListImports = Operations['imports.list'];

/** The imports of a workspace, newest first. */
export const listImports = ({ database }: ContactsService): Handler<ListImports> =>
  onPool(
    database,
    each<ListImports>(async ({ input: { limit, after }, caller }, session) => {
      const rows = await session.query<ImportRecord>(select, [
        uuidOf('workspace', caller.workspaceId),
        after === undefined ? null : importCursor.uuidOfAfter(after),
        limit + 1,
      ]);
      const records = rows.slice(0, limit);
      const next = rows.length > limit ? importCursor.ofUuid(records.at(-1)!.id) : null;
      return { imports: records.map(importShape), pagination: { limit, next } };
    }),
  );

/** In the order of the primary key. */
const select: Statement = {
  name: 'imports.list',
  text: `
    select ${importColumns('i')} from contacts.imports i
    where i.workspace_id = $1 and ($2::uuid is null or i.id < $2) order by i.id desc limit $3::int`,
};
