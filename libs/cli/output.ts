import { once } from 'node:events';

import widthOf from 'fast-string-truncated-width';
import picocolors from 'picocolors';

import { CommandFailure } from './failure.js';

/** A column of a table. */
export interface Column<Row> {
  name: string;
  of(row: Row): Cell;
  /** Shortened only if nothing else can be. For IDs, which are copied. */
  whole?: true;
  align?: 'right';
}
type Cell = string | number | boolean | null | undefined | readonly string[];

export interface OutputOptions {
  json: boolean;
  color: boolean;
  stdout?: NodeJS.WriteStream;
  stderr?: NodeJS.WriteStream;
}

const gap = '  ';
/** Rows that determine the widths of the columns: a page. Later ones are shortened to them. */
const measuredRows = 100;
const leastWidth = 6;

/** Where a command prints: tables and fields on a terminal, otherwise a JSON object per line. */
export class Output {
  /** Whether tables are printed. */
  readonly isTable: boolean;
  readonly colors: ReturnType<typeof picocolors.createColors>;
  readonly #stdout: NodeJS.WriteStream;
  readonly #stderr: NodeJS.WriteStream;
  #failure: NodeJS.ErrnoException | undefined;

  constructor({ json, color, stdout = process.stdout, stderr = process.stderr }: OutputOptions) {
    this.#stdout = stdout;
    this.#stderr = stderr;
    this.isTable = stdout.isTTY && !json;
    this.colors = picocolors.createColors(this.isTable && color && !process.env['NO_COLOR']);
    stdout.on('error', (error: NodeJS.ErrnoException) => (this.#failure ??= error));
    stderr.on('error', () => {});
  }

  /** Whether the reader has closed the pipe, as `head` does. A command that only prints can end. */
  get isClosed(): boolean {
    return this.#failure?.code === 'EPIPE';
  }

  /** Whether progress and status are seen by someone. */
  get isWatched(): boolean {
    return this.#stderr.isTTY;
  }

  /** Prints rows as they come, until the reader has closed the pipe. */
  async list<Row>(
    rows: AsyncIterable<Row> | Iterable<Row>,
    columns: readonly Column<Row>[],
    none = 'None.',
  ): Promise<void> {
    if (!this.isTable) {
      for await (const row of rows) {
        await this.write(`${toJson(row)}\n`);
        if (this.isClosed) return;
      }
      return;
    }
    let waiting: Row[] | undefined = [];
    let widths: readonly number[] = [];
    const begin = async (first: readonly Row[]) => {
      waiting = undefined;
      if (first.length === 0) return this.note(none);
      widths = widthsFor(columns, first, this.#stdout.columns || 80);
      const head = columns.map(({ name }) => name.toUpperCase());
      await this.write(`${this.colors.bold(line(head, widths, columns))}\n`);
      for (const row of first) await this.write(`${line(cells(columns, row), widths, columns)}\n`);
    };
    for await (const row of rows) {
      if (this.isClosed) return;
      if (waiting === undefined)
        await this.write(`${line(cells(columns, row), widths, columns)}\n`);
      else if (waiting.push(row) >= measuredRows) await begin(waiting);
    }
    if (waiting !== undefined) await begin(waiting);
  }

  /** Prints an object: a line per field, or as JSON. */
  async item(value: object): Promise<void> {
    if (!this.isTable) return this.write(`${toJson(value)}\n`);
    const fields = fieldsOf(value);
    const width = Math.max(...fields.map(([name]) => name.length));
    for (const [name, text] of fields)
      await this.write(`${this.colors.bold(name.padEnd(width))}${gap}${text}\n`);
  }

  /** Prints what a command without a result has done: a sentence for people, otherwise the answer as JSON. */
  async done(sentence: string, answer: object): Promise<void> {
    await this.write(`${this.isTable ? sentence : toJson(answer)}\n`);
  }

  /** Prints a line about the command itself, on stderr. */
  note(text: string): void {
    this.#stderr.write(`${text}\n`);
  }

  /** Replaces the last line on stderr, if someone watches. `undefined` removes it. */
  status(text: string | undefined): void {
    if (!this.isWatched) return;
    const width = (this.#stderr.columns || 80) - 1;
    this.#stderr.write(`\r\x1b[2K${text === undefined ? '' : shorten(text, width)}`);
  }

  /**
   * Writes to stdout, and waits while it is full.
   *
   * @throws CommandFailure if it cannot be written, except to a closed pipe
   */
  async write(data: string | Uint8Array): Promise<void> {
    if (this.isClosed) return;
    if (!this.#stdout.write(data) && !this.#failure)
      await once(this.#stdout, 'drain').catch(() => {});
    this.check();
  }

  /** @throws CommandFailure if something could not be written */
  check(): void {
    if (this.#failure && !this.isClosed)
      throw new CommandFailure(writeFailure('The output', this.#failure));
  }

  /** Waits until everything is written. */
  async flush(): Promise<void> {
    if (!this.#failure)
      await new Promise<void>((resolve) => void this.#stdout.write('', () => resolve()));
    this.check();
  }
}

/** What is wrong with a file or the output that cannot be written. */
export const writeFailure = (what: string, { code = '' }: NodeJS.ErrnoException): string =>
  `${what} cannot be written: ${reasons[code] ?? code}.`;

const reasons: Record<string, string> = {
  ENOSPC: 'no space is left on the disk',
  EDQUOT: 'the quota of the disk is used up',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'its folder does not exist',
  EROFS: 'the file system is read-only',
};

/** JSON on one line. Characters that a terminal obeys are escaped beyond what JSON requires. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    obeyed,
    (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** Control characters, line separators, and what changes the direction of text. */
// eslint-disable-next-line no-control-regex
const obeyed = /[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/** A text of the server, safe for a terminal: characters that it would obey are shown as `\u{1b}`. */
export const printable = (text: string): string =>
  text.replaceAll(obeyed, (found) => `\\u{${found.charCodeAt(0).toString(16)}}`);

/** A text of at most `width` columns, with an ellipsis if it is longer. */
export function shorten(text: string, width: number): string {
  const { index, truncated, ellipsed } = widthOf(text, { limit: width, ellipsis: '…' });
  return truncated || ellipsed ? `${text.slice(0, index)}${ellipsed ? '…' : ''}` : text;
}

const cells = <Row>(columns: readonly Column<Row>[], row: Row): string[] =>
  columns.map(({ of }) => textOf(of(row)));

const textOf = (value: Cell): string =>
  value === null || value === undefined
    ? ''
    : printable(typeof value === 'object' ? value.join(', ') : String(value));

function line<Row>(
  texts: readonly string[],
  widths: readonly number[],
  columns: readonly Column<Row>[],
): string {
  const padded = texts.map((text, at) => {
    const shown = shorten(text, widths[at]!);
    const space = ' '.repeat(Math.max(0, widths[at]! - widthOf(shown).width));
    return columns[at]!.align === 'right' ? space + shown : shown + space;
  });
  return padded.join(gap).trimEnd();
}

/** The width of each column, so that a line fits into the terminal: the widest are shortened first, whole ones last. */
function widthsFor<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  available: number,
): number[] {
  const texts = rows.map((row) => cells(columns, row));
  const widths = columns.map(({ name }, at) =>
    Math.max(widthOf(name).width, ...texts.map((row) => widthOf(row[at]!).width)),
  );
  let excess = sum(widths) + gap.length * (columns.length - 1) - available;
  for (const isWhole of [false, true])
    while (excess > 0) {
      const widest = columns.reduce(
        (best, { whole }, at) =>
          (whole === true) === isWhole &&
          widths[at]! > leastWidth &&
          widths[at]! > (widths[best] ?? 0)
            ? at
            : best,
        -1,
      );
      if (widest < 0) break;
      widths[widest]! -= 1;
      excess -= 1;
    }
  return widths;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** Fields of an object in lines: those of objects within it as `properties.city`. */
function fieldsOf(value: object, prefix = ''): [string, string][] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]): [string, string][] => {
    const path = prefix + printable(name);
    if (Array.isArray(field))
      return [
        [
          path,
          field
            .map((one) => (typeof one === 'object' ? toJson(one) : textOf(one as Cell)))
            .join(', '),
        ],
      ];
    if (typeof field === 'object' && field !== null) return fieldsOf(field, `${path}.`);
    return [[path, textOf(field as Cell)]];
  });
}
