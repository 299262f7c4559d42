import {
  notFound,
  uuidOf,
  type ImportHeader,
  type Operations,
  type OutputOf,
} from '@roster/contracts';
import { each, onPool, type Statement } from '@roster/storage';
import type { Handler } from '@roster/bus';
import type { ContactsService } from '../../service.js';

type ListImportErrors = Operations['imports.list-errors'];
type ListedError = OutputOf<ListImportErrors>['errors'][number];

/** Maximum number of errors in one result, and of their bytes as JSON. More than two rows can have. */
const pageErrorsMax = 500;
const pageBytesMax = 768 * 1024;

/** Lists errors by row. A result contains all errors of its rows. */
export const listImportErrors = ({ database }: ContactsService): Handler<ListImportErrors> =>
  onPool(
    database,
    each<ListImportErrors>(async ({ input, caller }, session) => {
      const key = [uuidOf('workspace', caller.workspaceId), uuidOf('import', input.importId)];
      const [found] = await session.query<{ header: string | null }>(selectHeader, key);
      if (!found) throw notFound('import');
      const rows = await session.query<ListedError & { found: number }>(select, [
        ...key,
        input.after ?? 0,
        pageErrorsMax,
        pageBytesMax,
      ]);
      const header = found.header === null ? null : (JSON.parse(found.header) as ImportHeader);
      const errors = rows.map(({ row, pointer, code, message, text }): ListedError => ({
        row,
        pointer,
        code,
        message,
        text,
      }));
      if (rows.length === (rows[0]?.found ?? 0) && rows.length < pageErrorsMax)
        return { header, errors, next: null };
      // The last row may have errors that are not among them.
      const last = errors.at(-1)!.row;
      const whole = errors.filter(({ row }) => row !== last);
      return { header, errors: whole, next: whole.at(-1)!.row };
    }),
  );

const selectHeader: Statement = {
  name: 'imports.select-header',
  text: 'select header from contacts.imports where workspace_id = $1 and id = $2',
};

const select: Statement = {
  name: 'imports.list-errors',
  text: `
    select "row", pointer, code, message, text, found from (
      select *, count(*) over ()::int as found,
        sum(octet_length(to_json(next)::text)) over (order by "row", n) as bytes
      from (
        select "row", n, pointer, code, message, text from contacts.import_errors
        where workspace_id = $1 and import_id = $2 and "row" > $3::int order by "row", n limit $4
      ) next
    ) page
    where bytes <= $5::int order by "row", n`,
};
