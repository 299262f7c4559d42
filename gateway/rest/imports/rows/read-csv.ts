import { Fault, importDelimiters as delimiters, type ImportHeader } from '@roster/contracts';
import { restoredCell } from '../../exports/csv.js';
import { columnFit, columnReader, withoutEmptyEnd, type ReadCells } from './columns.js';
import { CsvText, type CsvRow, type Delimiter } from './csv-text.js';
import { decoded, decodedRow, withoutMark, wrongRow, type FileRow } from './import-row.js';

export interface CsvOptions {
  /** Fields of columns whose names are not those of fields. */
  map?: Readonly<Record<string, string>> | undefined;
  /** What separates the columns. Otherwise it is found from the first row. */
  delimiter?: Delimiter | undefined;
}

type ReaderOf = (file: ImportHeader, map: Readonly<Record<string, string>>) => ReadCells;

/**
 * Reads the rows of a CSV file (RFC 4180) whose first row that is not empty names the columns. Any line break ends a row. Rows are
 * numbered as spreadsheets do: empty rows count, and a line `sep=;` that precedes the first row does not.
 *
 * @param readerOf reads the cells of a file with these columns
 *
 * @throws Fault `invalid` for a header that cannot be used
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  { map = {}, delimiter: given }: CsvOptions = {},
  readerOf: ReaderOf = ({ columns }) => columnReader(columns, map),
): AsyncGenerator<FileRow> {
  const text = new CsvText();
  let delimiter = given;
  let number = 0;
  let read: ReadCells | undefined;
  let file: ImportHeader | undefined;
  for await (const part of withEnd(withoutMark(bytes))) {
    text.add(part);
    for (;;) {
      const found = read ? { delimiter, row: text.peek(delimiter!) } : header(text, map, delimiter);
      const row = found?.row;
      if (!row) break;
      text.pass(row);
      const separator = number === 0 ? separatorIn(row.text) : undefined;
      delimiter ??= separator;
      if (separator !== undefined) continue;
      number += 1;
      if (isEmpty(row)) continue;
      if (read)
        yield {
          row:
            row.problem === undefined
              ? read(number, row.cells)
              : wrongRow(number, 'malformed', row.problem),
          text: decodedRow(row.text),
          header: file!,
        };
      else {
        if (row.problem !== undefined) throw new Fault('invalid', `Row ${number} ${row.problem}.`);
        delimiter = found.delimiter!;
        file = { delimiter, columns: [...withoutEmptyEnd(row.cells.map(columnName), 0)] };
        read = readerOf(file, map);
      }
    }
  }
  if (read === undefined)
    throw new Fault('invalid', 'The file is empty. Its first row must name the columns.');
}

async function* withEnd<T>(parts: AsyncIterable<T>): AsyncGenerator<T | undefined> {
  yield* parts;
  yield undefined;
}

const isEmpty = ({ cells, problem }: CsvRow): boolean =>
  problem === undefined && cells.every((cell) => cell.trim() === '');

const separatorLine = /^"?sep=(.)"?[,;\t|]*$/i;

/** What the line says that spreadsheets write and read before the first row. */
function separatorIn(line: string): Delimiter | undefined {
  const [, separator] = separatorLine.exec(line) ?? [];
  if (separator === undefined) return undefined;
  const delimiter = delimiters.find((one) => one === separator);
  if (delimiter === undefined)
    throw new Fault(
      'invalid',
      `The file says sep=${separator}. Columns are separated by a comma, a semicolon, a tab or |.`,
    );
  return delimiter;
}

/**
 * The first row, by the delimiter that gives it the most columns that can be imported.
 *
 * @param given delimiter
 */
function header(
  text: CsvText,
  map: Readonly<Record<string, string>>,
  given: Delimiter | undefined,
): { delimiter: Delimiter; row: CsvRow } | undefined {
  const readings: { delimiter: Delimiter; row: CsvRow; fit: number }[] = [];
  for (const delimiter of delimiters) {
    const row = text.peek(delimiter);
    if (!row) return undefined;
    readings.push({ delimiter, row, fit: fitOf(row, map) });
  }
  const best = readings.reduce((one, other) => (other.fit > one.fit ? other : one));
  const chosen = readings.find(({ delimiter }) => delimiter === given) ?? best;
  const isSingle = chosen.row.cells.length <= 1 && separatorIn(chosen.row.text) === undefined;
  if (best.fit > chosen.fit && isSingle)
    throw new Fault(
      'invalid',
      `The columns of the first row are separated by ${JSON.stringify(best.delimiter)} instead of ${JSON.stringify(given)}.`,
    );
  return chosen;
}

/** Columns that can be imported count first, then all of them. */
const fitOf = ({ cells, problem }: CsvRow, map: Readonly<Record<string, string>>): number =>
  problem === undefined
    ? cells.reduce((fit, cell) => fit + columnFit(nameIn(cell) ?? '', map), 0) * 1e6 + cells.length
    : -1;

const nameIn = (cell: string): string | undefined => {
  const name = decoded(cell)?.trim();
  return name && restoredCell(name);
};

function columnName(cell: string): string {
  const name = nameIn(cell);
  if (name === undefined)
    throw new Fault('invalid', 'The first row is not valid UTF-8. Save the file as CSV in UTF-8.');
  return name;
}
