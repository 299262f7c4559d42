export type Delimiter = ',' | ';' | '\t' | '|';

const delimiters: readonly Delimiter[] = [',', ';', '\t', '|'];

/** The beginning of a file, read as the gateway reads it. */
export interface CsvStart {
  delimiter: Delimiter;
  columns: string[];
  rows: string[][];
}

/** Enough for the longest header and some rows. */
const startBytes = 512 * 1024;

/** Reads the first rows of a file. Undefined if they cannot be told apart: the gateway says why. */
export async function readCsvStart(file: Blob, rowsMax: number): Promise<CsvStart | undefined> {
  const text = await textOf(file);
  const isWhole = file.size <= startBytes;
  const separator = /^"?sep=([,;\t|])"?[,;\t|]*(?:\r\n?|\n)/i.exec(text);
  const start = separator?.[0].length ?? 0;
  const given = separator?.[1] as Delimiter | undefined;
  const readings = (given ? [given] : delimiters).map((delimiter) => {
    const rows = rowsOf(text, start, delimiter, rowsMax + 1, isWhole);
    return { delimiter, rows, fit: fitOf(rows[0] ?? []) };
  });
  const best = readings.reduce((one, other) => (other.fit > one.fit ? other : one));
  const [header, ...rows] = best.rows;
  if (!header) return undefined;
  const columns = withoutEmptyEnd(header.map((cell) => restored(cell.trim())));
  return { delimiter: best.delimiter, columns, rows: rows.map((row) => row.map(restored)) };
}

/** The lines of the beginning of a file of NDJSON. */
export async function readLines(file: Blob, linesMax: number): Promise<string[]> {
  const lines = (await textOf(file)).split('\n').filter((line) => line.trim() !== '');
  return lines.slice(0, linesMax);
}

/** Whether a file is NDJSON: it begins with a brace. */
export const isNdjson = async (file: Blob): Promise<boolean> =>
  (await textOf(file)).trimStart().startsWith('{');

/** Without the byte order mark, which the decoder removes. */
const textOf = async (file: Blob): Promise<string> =>
  new TextDecoder().decode(await file.slice(0, startBytes).arrayBuffer());

/** Rows that are not empty. The last one of a text that goes on is left out. */
export function rowsOf(
  text: string,
  from: number,
  delimiter: Delimiter,
  rowsMax: number,
  isWhole: boolean,
): string[][] {
  const rows: string[][] = [];
  let at = from;
  while (at < text.length && rows.length < rowsMax) {
    const { cells, end } = rowAt(text, at, delimiter);
    if (end >= text.length && !isWhole) break;
    if (cells.some((cell) => cell.trim() !== '')) rows.push(cells);
    at = end;
  }
  return rows;
}

function rowAt(
  text: string,
  start: number,
  delimiter: Delimiter,
): { cells: string[]; end: number } {
  const cells: string[] = [];
  let at = start;
  for (;;) {
    const opened = /^ *"/.exec(text.slice(at, at + 64));
    let cell: string;
    if (opened) {
      const quoted = /[^"]*(?:""[^"]*)*"(?!")/y;
      quoted.lastIndex = at + opened[0].length;
      const found = quoted.exec(text);
      // A quote that nothing closes: the row is refused up to its line break.
      if (!found) return { cells, end: lineEnd(text, at) };
      cell = found[0].slice(0, -1).replaceAll('""', '"');
      at = quoted.lastIndex;
      while (text[at] === ' ') at += 1;
    } else {
      const from = at;
      while (at < text.length && text[at] !== delimiter && text[at] !== '\r' && text[at] !== '\n')
        at += 1;
      cell = text.slice(from, at);
    }
    cells.push(cell);
    if (text[at] !== delimiter) return { cells, end: lineEnd(text, at) };
    at += 1;
  }
}

function lineEnd(text: string, from: number): number {
  const lineBreak = /\r\n?|\n/g;
  lineBreak.lastIndex = from;
  return lineBreak.exec(text) ? lineBreak.lastIndex : text.length;
}

/** Columns that can be imported count first, then all of them. */
const fitOf = (cells: readonly string[]): number =>
  cells.reduce((fit, cell) => {
    const name = restored(cell.trim());
    return fit + (isField(name) ? 2 : Number(isPropertyName(name)));
  }, 0) *
    1e6 +
  cells.length;

/** An apostrophe that exports put before what looks like a formula. */
const restored = (cell: string): string => (/^'+[=+\-@\t\r\n]/.test(cell) ? cell.slice(1) : cell);

function withoutEmptyEnd(cells: readonly string[]): string[] {
  let { length } = cells;
  while (length > 0 && cells[length - 1]!.trim() === '') length -= 1;
  return cells.slice(0, length);
}

/** `unsubscribed` is another way to write the status. */
export const fields = ['email', 'name', 'tags', 'status', 'unsubscribed'] as const;
/** Columns that the system assigns, or that stand in a file of refused rows: they are ignored. */
const ignored = /^(?:id|createdat|error\.(?:row|pointer|code|message|text))$/i;

export const isIgnored = (name: string): boolean => ignored.test(name);
const isField = (name: string): boolean =>
  isIgnored(name) || (fields as readonly string[]).includes(name.toLowerCase());
export const isPropertyName = (name: string): boolean =>
  /^(?:properties\.)?[A-Za-z][A-Za-z0-9_]{0,63}$/.test(name);
