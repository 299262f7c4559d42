import type { ImportHeader, ImportRow } from '@roster/contracts';
import { isUtf8 } from 'node:buffer';
import { byteOrderMark } from '../../../http/body/read-json.js';

type Problem = Extract<ImportRow, { problem: unknown }>['problem'];

/** A row of a file. */
export interface FileRow {
  row: ImportRow;
  /** As it is in the file, in UTF-8. Not of a line of NDJSON that is a contact. */
  text?: string;
  /** Of CSV. */
  header?: ImportHeader;
}

/** Maximum length of texts in a problem. Longer ones would refuse the other rows of the chunk, too. */
const charactersMax = 1000;

/** A row that is not imported, and why. The others are. */
export const wrongRow = (
  row: number,
  code: Problem['code'],
  message: string,
  pointer = '',
): ImportRow => ({
  row,
  problem: {
    code,
    pointer: pointer.slice(0, charactersMax),
    message: message.slice(0, charactersMax),
  },
});

/** Any character that is not one byte of UTF-8. */
const beyondAscii = /[\x80-\xff]/;

/** The text of a cell, or undefined if it is not valid UTF-8. */
export function decoded(cell: string): string | undefined {
  if (!beyondAscii.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}

/** The text of a row, with U+FFFD for what is not valid UTF-8. */
export const decodedRow = (text: string): string =>
  beyondAscii.test(text) ? Buffer.from(text, 'latin1').toString() : text;

/** The bytes of a text in UTF-8 without the byte order mark that may precede it. */
export async function* withoutMark(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let start: Uint8Array | undefined = Buffer.alloc(0);
  for await (const part of bytes) {
    if (start === undefined) {
      yield part;
      continue;
    }
    start = Buffer.concat([start, part]);
    if (start.length < byteOrderMark.length) continue;
    const hasMark = byteOrderMark.equals(start.subarray(0, byteOrderMark.length));
    yield hasMark ? start.subarray(byteOrderMark.length) : start;
    start = undefined;
  }
  if (start && start.length > 0) yield start;
}
