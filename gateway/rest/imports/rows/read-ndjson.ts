import { Fault, importLimits, pointerTo, type ImportRow, type FieldError } from '@roster/contracts';
import { isUtf8 } from 'node:buffer';
import { checkJsonSize } from '../../../http/body/check-json-size.js';
import { inspectNames } from '../../../operations/check-input.js';
import { withoutMark, wrongRow, type FileRow } from './import-row.js';

const lineFeed = 10;

/** Reads the rows of a file with a JSON object per line. Rows are numbered by their lines; empty lines count. */
export async function* readNdjson(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<FileRow> {
  let row = 0;
  for await (const line of linesOf(bytes)) {
    row += 1;
    const read = line === tooLong ? tooLongRow(row) : rowOf(row, line);
    if (read) yield read;
  }
}

/** In place of a line that is longer than a row may be: it is not kept in memory. */
const tooLong = Symbol('too long');

async function* linesOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer | typeof tooLong> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const add = (part: Uint8Array) => {
    length += part.length;
    if (length <= importLimits.rowBytes) parts.push(part);
    else parts = [];
  };
  const take = () => {
    const line = length > importLimits.rowBytes ? tooLong : Buffer.concat(parts);
    parts = [];
    length = 0;
    return line;
  };
  for await (const part of withoutMark(bytes)) {
    let start = 0;
    for (let end = part.indexOf(lineFeed); end >= 0; end = part.indexOf(lineFeed, start)) {
      add(part.subarray(start, end));
      yield take();
      start = end + 1;
    }
    add(part.subarray(start));
  }
  if (length > 0) yield take();
}

const tooLongRow = (row: number): FileRow => ({
  row: wrongRow(row, 'invalid', `is longer than ${importLimits.rowBytes} bytes`),
});

/** Undefined for an empty line. */
function rowOf(number: number, line: Buffer): FileRow | undefined {
  const text = line.toString();
  if (text.trim() === '') return undefined;
  const row = parsedRow(number, line, text);
  return 'problem' in row ? { row, text: text.trimEnd() } : { row };
}

function parsedRow(row: number, line: Buffer, text: string): ImportRow {
  if (!isUtf8(line)) return wrongRow(row, 'invalid_json', 'is not valid UTF-8');
  const excess = excessIn(line);
  if (excess)
    return excess.code === 'payload_too_large'
      ? wrongRow(row, 'invalid', `has more than ${importLimits.rowValues} JSON values`)
      : wrongRow(row, 'invalid_json', 'is nested too deeply');
  const value = parsed(text);
  if (value instanceof SyntaxError)
    return wrongRow(row, 'invalid_json', `is not valid JSON${positionIn(value)}`);
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return wrongRow(row, 'invalid_json', 'must be a JSON object');
  const errors: FieldError[] = [];
  inspectNames(value, errors);
  if (Object.hasOwn(value, '__proto__'))
    errors.push({ pointer: pointerTo(['__proto__']), message: 'is not a known field' });
  const [wrong] = errors;
  if (wrong) return wrongRow(row, 'invalid', wrong.message, wrong.pointer);
  return { row, contact: value as Record<string, unknown> };
}

function excessIn(line: Buffer): Fault | undefined {
  try {
    checkJsonSize(line, importLimits.rowValues);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error;
  }
}

/** V8's message quotes the line. */
function positionIn({ message }: SyntaxError): string {
  const at = /at position (\d+)/.exec(message)?.[1];
  return at === undefined ? '' : ` (at character ${at})`;
}
