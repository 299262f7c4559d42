import type { ImportHeader, Operations, OutputOf } from '@roster/contracts';
import { leaveSlot } from '../../http/exchange.js';
import { writePart } from '../../http/response/send.js';
import { csvCell, restoredCell } from '../exports/csv.js';
import { laterContext, repeatCall, requireEnd } from '../long-requests.js';
import type { RestOptions, SendFile } from '../rest-options.js';
import { errorColumns, isErrorColumn, withoutEmptyEnd } from './rows/columns.js';
import { cellsOf } from './rows/csv-text.js';

type Page = OutputOf<Operations['imports.list-errors']>;
type RowErrors = [Page['errors'][number], ...Page['errors']];

/**
 * Sends the rows of an import that were refused as a CSV file, page by page as the client reads it: the columns of the imported file,
 * and those of the errors. If it cannot be completed, the connection is reset.
 */
export function rowErrorsSender(options: RestOptions): SendFile {
  return async (ctx, { workspaceId }, input, result) => {
    const { state, req, res } = ctx;
    requireEnd(req);
    leaveSlot(ctx);
    state.status = 200;
    state.headers['Content-Type'] = 'text/csv; charset=utf-8';
    state.headers['Content-Disposition'] = 'attachment; filename="errors.csv"';
    res.writeHead(200, state.headers);
    if (req.method === 'HEAD') {
      res.end();
      return;
    }
    const nextSlice = options.client.turns.begin(workspaceId);
    const pageAfter = (after: number): Promise<Page> =>
      repeatCall(async () => {
        const context = await laterContext(ctx, options);
        const further = { ...input, after };
        return options.client.call('imports.list-errors', further, context, nextSlice);
      });
    try {
      const parts = partsOf(JSON.parse(Buffer.from(result).toString()) as Page, pageAfter);
      for await (const part of parts) await writePart(res, part, state.unread, workspaceId);
      // The end must be read in time, too.
      res.end(state.unread.add(res, workspaceId, 0));
    } catch (error) {
      if (res.destroyed) return;
      options.log.warn({ err: error, requestId: state.requestId }, 'broke off a file of errors');
      req.socket.resetAndDestroy();
    }
  };
}

async function* partsOf(
  first: Page,
  pageAfter: (after: number) => Promise<Page>,
): AsyncGenerator<string> {
  const file = first.header ?? { delimiter: ',', columns: [] };
  // Errors of an import of errors replace those.
  const kept = file.columns.map((name) => !isErrorColumn(name));
  const lineOf = (cells: readonly string[], errors: readonly string[]): string =>
    [...cells.filter((_, at) => kept[at]), ...errors]
      .map(csvCell)
      .join(file.delimiter)
      .concat('\r\n');
  const linesOf = ({ errors }: Page): string =>
    [...Map.groupBy(errors, ({ row }) => row).values()]
      .map((ofRow) => lineOf(...cellsOfRow(ofRow as RowErrors, file)))
      .join('');
  yield lineOf(file.columns, errorColumns) + linesOf(first);
  for (let { next } = first; next !== null;) {
    const page = await pageAfter(next);
    yield linesOf(page);
    ({ next } = page);
  }
}

/** The cells of a row as they were read, and those of its errors: one in each line. */
function cellsOfRow(errors: RowErrors, file: ImportHeader): [string[], string[]] {
  const [{ row, code, text }] = errors;
  const cells = cellsIn(errors[0], file);
  const shown = cells?.map(restoredCell) ?? file.columns.map(() => '');
  const pointers = errors.map(({ pointer }) => pointer).join('\n');
  const messages = errors.map(({ message }) => message).join('\n');
  return [shown, [`${row}`, pointers, code, messages, cells ? '' : (text ?? '')]];
}

/** Undefined for a row that was not divided into the columns of the file. */
function cellsIn(
  { code, pointer, text }: RowErrors[0],
  { columns, delimiter }: ImportHeader,
): readonly string[] | undefined {
  if (columns.length === 0 || typeof text !== 'string') return undefined;
  if (code === 'malformed' && pointer === '') return undefined;
  // It may stand for what could not be stored: in a cell, it would be imported.
  if (text.includes('\u{FFFD}')) return undefined;
  const cells = withoutEmptyEnd(cellsOf(text, delimiter) ?? [], columns.length);
  return cells.length === columns.length ? cells : undefined;
}
