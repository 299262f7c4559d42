import { importDelimiters as delimiters, importLimits } from '@roster/contracts';

export type Delimiter = (typeof delimiters)[number];

/** A row as it is in the file: each byte is a character. */
export interface CsvRow {
  cells: string[];
  /** Why its cells cannot be told apart. */
  problem: string | undefined;
  /** Without its line break. */
  text: string;
  end: number;
  /** Its line break has not arrived: what precedes it belongs to the row. */
  isOpen?: boolean;
}

const { rowBytes } = importLimits;

/** The part of a CSV file (RFC 4180) that has arrived and is not read yet: two rows of the maximum size at most. */
export class CsvText {
  #text = '';
  #start = 0;
  #isEnded = false;
  /** A row is read again only when twice as much has arrived, however small the parts are. */
  #wanted = 0;
  #isInOpenRow = false;

  /** @param part undefined at the end of the file */
  add(part: Uint8Array | undefined): void {
    this.#isEnded = part === undefined;
    // Each byte as a character: a cell that is not valid UTF-8 concerns its own row only.
    const added = part
      ? Buffer.from(part.buffer, part.byteOffset, part.length).toString('latin1')
      : '';
    this.#text = this.#text.slice(this.#start) + added;
    this.#start = 0;
  }

  /** The next row, if its columns are separated by this delimiter. Undefined if it has not arrived. */
  peek(delimiter: Delimiter): CsvRow | undefined {
    const size = this.#text.length - this.#start;
    if (size === 0 || (size < this.#wanted && !this.#isEnded)) return undefined;
    if (this.#isInOpenRow && !this.#leaveRow()) return undefined;
    const row = rowAt(this.#text, this.#start, delimiter, this.#isEnded);
    if (!row) this.#wanted = 2 * size;
    return row;
  }

  /** Continues after this row. */
  pass({ end, isOpen = false }: Pick<CsvRow, 'end' | 'isOpen'>): void {
    this.#start = end;
    this.#wanted = 0;
    this.#isInOpenRow = isOpen;
  }

  /** Returns whether there is another row. */
  #leaveRow(): boolean {
    const found = lineEnd(this.#text, this.#start, this.#isEnded);
    if (found) this.pass(found);
    else if (!this.#text.endsWith('\r')) this.#start = this.#text.length;
    return found !== undefined && this.#start < this.#text.length;
  }
}

/** The cells of the text of a row. Undefined if they cannot be told apart. */
export function cellsOf(text: string, delimiter: Delimiter): string[] | undefined {
  const bytes = Buffer.from(text).toString('latin1');
  const row = rowAt(bytes, 0, delimiter, true);
  if (!row || row.problem !== undefined || row.end < bytes.length) return undefined;
  return row.cells.map((cell) => Buffer.from(cell, 'latin1').toString());
}

/** Undefined if it depends on what follows. */
function rowAt(
  text: string,
  start: number,
  delimiter: Delimiter,
  isEnded: boolean,
): CsvRow | undefined {
  const cells: string[] = [];
  const unquoted = unquotedCell[delimiter];
  const limit = start + rowBytes;
  const isCut = isEnded || text.length > limit;
  let problem: string | undefined;
  let at = start;
  for (;;) {
    const cellStart = at;
    const opened = openingAt(text, at);
    if (opened === undefined) {
      at = matchEnd(unquoted, text, at)!;
      const cell = text.slice(cellStart, at);
      cells.push(cell);
      if (cell.includes('"')) problem ??= strayQuote;
    } else {
      const closed = matchEnd(quotedRest, text, opened);
      // Whether a quote at the end of the text closes the cell depends on what follows.
      if (closed === undefined || closed > limit || (closed === text.length && !isEnded)) {
        if (!isCut) return undefined;
        return endedAtBreak(text, start, cellStart, isEnded, problem ?? openQuote);
      }
      at = matchEnd(spaces, text, closed)!;
      if (at === text.length && !isCut) return undefined;
      if (at < text.length && at <= limit && !ends(text[at]!, delimiter)) {
        problem ??= closedBy(text[at]!, delimiter);
        return endedAtBreak(text, start, cellStart, isEnded, problem);
      }
      cells.push(text.slice(opened, closed - 1).replaceAll('""', '"'));
    }
    if (at > limit) return endedAtBreak(text, start, cellStart, isEnded, tooLong);
    if (text[at] !== delimiter) break;
    at += 1;
  }
  const found = lineEnd(text, at, isEnded);
  return found && { cells, problem, text: text.slice(start, at), end: found.end };
}

/** A row whose cells cannot be told apart ends at its line break, which is the first after the beginning of the wrong cell. */
function endedAtBreak(
  text: string,
  start: number,
  cellStart: number,
  isEnded: boolean,
  problem: string,
): CsvRow | undefined {
  const found = lineEnd(text, cellStart, isEnded);
  if (found) return { cells: [], problem, text: text.slice(start, found.at), end: found.end };
  if (text.length - start <= rowBytes) return undefined;
  // A line feed that follows belongs to the same line break.
  const end = text.endsWith('\r') ? text.length - 1 : text.length;
  return { cells: [], problem, text: text.slice(start, end), end, isOpen: true };
}

const lineBreak = /\r\n?|\n/g;

/** The next line break or the end of the file. Undefined if it has not arrived. */
function lineEnd(
  text: string,
  from: number,
  isEnded: boolean,
): { at: number; end: number } | undefined {
  lineBreak.lastIndex = from;
  const found = lineBreak.exec(text);
  if (!found) return isEnded ? { at: text.length, end: text.length } : undefined;
  const end = lineBreak.lastIndex;
  if (found[0] === '\r' && end === text.length && !isEnded) return undefined;
  return { at: found.index, end };
}

/** Spaces around a quoted cell are ignored: they cannot be a part of it. */
const opening = / *"/y;
const quotedRest = /[^"]*(?:""[^"]*)*"(?!")/y;
const spaces = / */y;

const unquotedCell: Record<Delimiter, RegExp> = {
  ',': /[^,\r\n]*/y,
  ';': /[^;\r\n]*/y,
  '\t': /[^\t\r\n]*/y,
  '|': /[^|\r\n]*/y,
};

/** Where the text of a quoted cell begins. Undefined for one without quotes. */
function openingAt(text: string, at: number): number | undefined {
  const first = text[at];
  if (first === '"') return at + 1;
  return first === ' ' ? matchEnd(opening, text, at) : undefined;
}

function matchEnd(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

const ends = (character: string, delimiter: Delimiter): boolean =>
  character === delimiter || character === '\r' || character === '\n';

const tooLong = `is longer than ${rowBytes} bytes`;
const openQuote = 'has a quote that is not closed';
const strayQuote =
  'has a quote within a cell that is not quoted. Quote the cell, and write the quote as two';

const closedBy = (next: string, delimiter: Delimiter): string =>
  (delimiters as readonly string[]).includes(next)
    ? `has ${JSON.stringify(next)} after a closing quote, but the columns are separated by ${JSON.stringify(delimiter)}`
    : 'has text after a closing quote. Within a quoted cell, a quote is written as two';
