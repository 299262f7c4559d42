import { importLimits, type ImportHeader, type ImportRow } from '@roster/contracts';
import { wrongRow, type FileRow } from './rows/import-row.js';

/** Maximum number of chunks of an upload that are sent and not yet stored: with the one that is built, they bound its memory. */
const inFlightMax = 2;

/** Rows that are sent to the service at once, their texts, and with the first ones of CSV its columns. */
export interface Chunk {
  rows: ImportRow[];
  texts: (string | null)[];
  header?: ImportHeader | undefined;
}

/** What was stored of an upload. */
export interface StoredRows {
  chunks: number;
  total: number;
}

/**
 * Stores chunks in their order, two at a time.
 *
 * @param append stores a chunk
 *
 * @throws what `append` throws
 */
export async function storeChunks(
  chunks: AsyncIterable<Chunk>,
  append: (ordinal: number, chunk: Chunk) => Promise<unknown>,
): Promise<StoredRows> {
  const inFlight: Promise<unknown>[] = [];
  const stored = { chunks: 0, total: 0 };
  for await (const chunk of chunks) {
    if (inFlight.length === inFlightMax) await inFlight.shift();
    const sent = append(stored.chunks, chunk);
    // Awaited later.
    sent.catch(() => {});
    inFlight.push(sent);
    stored.chunks += 1;
    stored.total += chunk.rows.length;
  }
  await Promise.all(inFlight);
  return stored;
}

const { chunkRows, chunkBytes, rowBytes, textBytes } = importLimits;

/** Puts rows together that are sent to the service at once. */
export async function* buildChunks(rows: AsyncIterable<FileRow>): AsyncGenerator<Chunk> {
  let chunk: Chunk | undefined;
  let bytes = 0;
  let isFirst = true;
  for await (const { row, text, header } of rows) {
    const [fitting, rowSize] = measured(row);
    const [kept, textSize] = measuredText(text);
    const size = rowSize + textSize;
    if (chunk && (chunk.rows.length === chunkRows || bytes + size > chunkBytes)) {
      yield chunk;
      chunk = undefined;
      bytes = 0;
    }
    chunk ??= { rows: [], texts: [], ...(isFirst && { header }) };
    isFirst = false;
    chunk.rows.push(fitting);
    chunk.texts.push(kept);
    bytes += size;
  }
  if (chunk) yield chunk;
}

/** A row with its size. Characters that JSON escapes can make it larger than it was in the file. */
function measured(row: ImportRow): [ImportRow, number] {
  const size = sizeOf(row);
  if (size <= rowBytes) return [row, size];
  const refused = wrongRow(row.row, 'invalid', `is longer than ${rowBytes} bytes of JSON`);
  return [refused, sizeOf(refused)];
}

/** A text with its size. One that is too long is not kept: rows are, even if they are refused, not larger than contacts can be. */
function measuredText(text: string | undefined): [string | null, number] {
  const size = text === undefined || text.length > textBytes ? Infinity : sizeOf(text);
  return size > textBytes ? [null, sizeOf(null)] : [text!, size];
}

/** In bytes of JSON, with the comma that follows. */
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value)) + 1;
