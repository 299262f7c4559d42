import { notFound, uuidOf, type Operations, type OutputOf } from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { Handler } from '@roster/bus';
import type { ContactsService } from '../../service.js';

type ListImportErrors = Operations['imports.list-errors'];
type ListedError = OutputOf<ListImportErrors>['errors'][number];

/** Maximum number of errors in one result. More than a row can have. */
const pageErrorsMax = 500;

/** Lists errors by row. A result contains all errors of its rows. */
export const listImportErrors = ({ database }: ContactsService): Handler<ListImportErrors> =>
  onPool(
    database,
    each<ListImportErrors>(async ({ input, caller }, session) => {
      const key = [uuidOf('workspace', caller.workspaceId), uuidOf('import', input.importId)];
      const [found] = await session.query(exists, key);
      if (!found) throw notFound('import');
      const rows = await session.query<ListedError>(select, [
        ...key,
        input.after ?? 0,
        pageErrorsMax,
      ]);
      if (rows.length < pageErrorsMax) return { errors: rows, next: null };
      // The last row may have errors that are not among them.
      const last = rows.at(-1)!.row;
      const errors = rows.filter(({ row }) => row !== last);
      return { errors, next: errors.at(-1)!.row };
    }),
  );

const exists: Statement = {
  name: 'imports.exists',
  text: 'select 1 from contacts.imports where workspace_id = $1 and id = $2',
};

const select: Statement = {
  name: 'imports.list-errors',
  text: `
    select "row", pointer, code, message from contacts.import_errors
    where workspace_id = $1 and import_id = $2 and "row" > $3::int order by "row", n limit $4`,
};
