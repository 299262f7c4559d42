import { isUtf8 } from 'node:buffer';

/** Any character that is not one byte of UTF-8. */
const beyondAscii = /[\x80-\xff]/;

/** The text of a cell, or undefined if it is not valid UTF-8. */
export function decoded(cell: string): string | undefined {
  if (!beyondAscii.test(cell)) return cell;
  const bytes = Buffer.from(cell, 'latin1');
  return isUtf8(bytes) ? bytes.toString() : undefined;
}
