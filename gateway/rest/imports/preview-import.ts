import {
  Fault,
  importLimits,
  type FieldError,
  type ImportHeader,
  type ImportRow,
  type Operations,
  type OutputOf,
  type PreviewedColumn,
} from '@roster/contracts';
import { receiveBody } from '../../http/body/read-body.js';
import { checkInput } from '../../operations/check-input.js';
import { restoredCell } from '../exports/csv.js';
import type { RestOperation } from '../rest-operations.js';
import type { RestOptions } from '../rest-options.js';
import { inSlices, refuseOptions, type ReceiveFile } from './receive-import.js';
import { cellReader, columnsOf, refusedColumns, type ReadCells } from './rows/columns.js';
import { decoded, type FileRow } from './rows/import-row.js';
import { readCsv, type CsvOptions } from './rows/read-csv.js';
import { readNdjson } from './rows/read-ndjson.js';
import { buildChunks } from './store-chunks.js';
import { openFile, uploadType } from './uploaded-file.js';

type Preview = OutputOf<Operations['imports.preview']>['preview'];

/**
 * Reads the first rows of the beginning of a file as an import does, and has the service try them. A file that an import refuses is
 * refused alike, but for columns that must be mapped: the preview says which.
 */
export function previewReceiver(operation: RestOperation, options: RestOptions): ReceiveFile {
  const { bytesMax } = operation.http.upload!;
  const { client } = options;

  return async (ctx, input, errors, context) => {
    const type = uploadType(ctx.req, bytesMax);
    const csv = checkInput(operation, input, errors) as CsvOptions;
    const body = await receiveBody(ctx, bytesMax);
    const { format, bytes } = await openFile(type, inOnePart(body));
    if (format === 'ndjson') refuseOptions(csv);
    const slices = inSlices(bytes, client.turns.begin(context.caller.workspaceId));
    const file = beginningOf(slices, bytesMax);
    const header = new PreviewedHeader();
    const rows = await firstOf(
      format === 'csv'
        ? readCsv(file, csv, (found, map) => header.readerOf(found, map))
        : readNdjson(file),
    );
    if (format === 'csv' && !header.found)
      throw new Fault('invalid', 'The beginning of the file contains no row.');
    const wrong = header.errors;
    const tried =
      wrong.length > 0
        ? { errors: wrong, rows: [] }
        : await tryRows(rows, (one) =>
            client.callRaw(operation, { ...input, format, rows: one }, [], context),
          );
    const preview: Preview = { format, ...header.found, ...tried };
    return Buffer.from(JSON.stringify({ preview }));
  };
}

async function tryRows(
  rows: readonly ImportRow[],
  call: (rows: readonly ImportRow[]) => Promise<Uint8Array>,
): Promise<Pick<Preview, 'errors' | 'rows'>> {
  const result = JSON.parse(Buffer.from(await call(rows)).toString()) as { preview: Preview };
  const { errors, rows: tried } = result.preview;
  return { errors, rows: tried };
}

async function* inOnePart(body: Buffer): AsyncGenerator<Buffer> {
  yield body;
}

/** Follows the last byte of a beginning that may be cut within a row. */
class CutFile extends Error {}

/** A file that is as long as it may be is taken for the beginning of a longer one. */
async function* beginningOf(
  parts: AsyncIterable<Uint8Array>,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const part of parts) {
    yield part;
    bytes += part.length;
  }
  if (bytes === bytesMax) throw new CutFile();
}

/** The first rows, of which the bytes of JSON are bounded as those of a chunk. */
async function firstOf(rows: AsyncGenerator<FileRow>): Promise<ImportRow[]> {
  const chunks = buildChunks(upTo(importLimits.previewRows, rows));
  const { value } = await chunks.next();
  await chunks.return(undefined);
  return value?.rows ?? [];
}

async function* upTo(max: number, rows: AsyncGenerator<FileRow>): AsyncGenerator<FileRow> {
  let left = max;
  try {
    for await (const row of rows) {
      yield row;
      left -= 1;
      if (left === 0) return;
    }
  } catch (error) {
    if (!(error instanceof CutFile)) throw error;
  }
}

const valuesMax = 3;
const charactersMax = 100;

/** What the first row of a CSV file says, with the first values of its columns. */
class PreviewedHeader {
  found: { delimiter: ImportHeader['delimiter']; columns: PreviewedColumn[] } | undefined;
  errors: FieldError[] = [];

  readerOf(
    { delimiter, columns: names }: ImportHeader,
    map: Readonly<Record<string, string>>,
  ): ReadCells {
    const { columns, errors } = columnsOf(names, map);
    const shown = columns.map(({ name, field, problem }): PreviewedColumn => ({
      name,
      field,
      problem,
      values: [],
    }));
    this.found = { delimiter, columns: shown };
    if (errors.length > 0) this.errors = refusedColumns(errors).details.errors!;
    const read = cellReader(columns);
    return (row, cells) => {
      for (const [at, { values }] of shown.entries()) {
        const value = values.length < valuesMax ? valueOf(cells[at] ?? '') : '';
        if (value !== '') values.push(value);
      }
      return read(row, cells);
    };
  }
}

const valueOf = (cell: string): string =>
  restoredCell(decoded(cell) ?? '')
    .trim()
    .slice(0, charactersMax)
    .toWellFormed();
