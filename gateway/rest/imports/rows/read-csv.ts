import { Fault, importLimits, type ImportRow } from '@roster/contracts';
import { CsvError, parse } from 'csv-parse';
import { pipeline } from 'node:stream';
import { decoded, withoutMark } from './import-row.js';
import { columnReader, type ReadCells } from './columns.js';

/**
 * Reads the rows of a CSV file (RFC 4180) whose first row names the columns. Any line break ends a row. Rows are numbered as
 * spreadsheets do: the header is row 1, and empty rows count.
 *
 * @param map fields of columns whose names are not those of fields
 *
 * @throws Fault `invalid` for a header that cannot be used, and for a row after which the rows cannot be told apart
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  map: Readonly<Record<string, string>> = {},
): AsyncGenerator<ImportRow> {
  const parser = parse({
    // Each byte as a character: a cell that is not valid UTF-8 concerns its own row only.
    encoding: 'latin1',
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    max_record_size: importLimits.rowBytes,
  });
  const source = whileRowsEnd(withoutMark(bytes), () => parser.info.records);
  pipeline(source, parser, () => {});
  let row = 0;
  let read: ReadCells | undefined;
  try {
    for await (const record of parser as AsyncIterable<string[]>) {
      row += 1;
      const isEmpty = record.length === 1 && record[0] === '';
      if (read === undefined) read = columnReader(headerOf(record), map);
      else if (!isEmpty) yield read(row, record);
    }
  } catch (error) {
    throw error instanceof CsvError ? explained(error) : error;
  }
  if (read === undefined)
    throw new Fault('invalid', 'The file is empty. Its first row must name the columns.');
}

/**
 * A row of the file may have more bytes than its values, because a quote in quotes is two bytes. Beyond this limit, the parser may
 * have received parts that it has not read yet.
 */
const fileBytesMax = 4 * importLimits.rowBytes;

/**
 * The parser does not count delimiters as bytes of a row: one of delimiters would fill the memory.
 *
 * @param rowsRead number of rows that have ended
 *
 * @throws Fault `invalid`
 */
async function* whileRowsEnd(
  parts: AsyncIterable<Uint8Array>,
  rowsRead: () => number,
): AsyncGenerator<Uint8Array> {
  let rows = 0;
  let bytes = 0;
  for await (const part of parts) {
    yield part;
    bytes = rowsRead() === rows ? bytes + part.length : 0;
    rows = rowsRead();
    if (bytes > fileBytesMax) throw unreadable(rows, tooLong);
  }
}

const headerOf = (record: readonly string[]): string[] =>
  record.map((cell) => {
    const name = decoded(cell);
    if (name === undefined) throw new Fault('invalid', 'The first row is not valid UTF-8.');
    return name.trim();
  });

const tooLong = `is longer than ${importLimits.rowBytes} bytes`;

const explanations: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'has a quote that is not closed',
  CSV_INVALID_CLOSING_QUOTE:
    'has text after a closing quote. Within a quoted cell, a quote is written as two',
  INVALID_OPENING_QUOTE:
    'has a quote within a cell that is not quoted. Quote the cell, and write the quote as two',
  CSV_MAX_RECORD_SIZE: tooLong,
};

/** The parser's own messages quote the file. */
const explained = (error: CsvError & { records?: number }): Fault =>
  unreadable(error.records ?? 0, explanations[error.code] ?? 'is not valid CSV');

/** @param rows that precede the one that cannot be read */
const unreadable = (rows: number, explanation: string): Fault =>
  new Fault('invalid', `Row ${rows + 1} ${explanation}.`);
