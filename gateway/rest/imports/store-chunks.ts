import { importLimits, type ImportRow } from '@roster/contracts';
import { wrongRow } from './rows/import-row.js';

/** Maximum number of chunks of an upload that are sent and not yet stored: with the one that is built, they bound its memory. */
const inFlightMax = 2;

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
  chunks: AsyncIterable<ImportRow[]>,
  append: (ordinal: number, rows: ImportRow[]) => Promise<unknown>,
): Promise<StoredRows> {
  const inFlight: Promise<unknown>[] = [];
  const stored = { chunks: 0, total: 0 };
  for await (const rows of chunks) {
    if (inFlight.length === inFlightMax) await inFlight.shift();
    const sent = append(stored.chunks, rows);
    // Awaited later.
    sent.catch(() => {});
    inFlight.push(sent);
    stored.chunks += 1;
    stored.total += rows.length;
  }
  await Promise.all(inFlight);
  return stored;
}

const { chunkRows, chunkBytes, rowBytes } = importLimits;

/** Puts rows together that are sent to the service at once. */
export async function* buildChunks(rows: AsyncIterable<ImportRow>): AsyncGenerator<ImportRow[]> {
  let chunk: ImportRow[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const [fitting, size] = measured(row);
    if (chunk.length === chunkRows || bytes + size > chunkBytes) {
      yield chunk;
      chunk = [];
      bytes = 0;
    }
    chunk.push(fitting);
    bytes += size;
  }
  if (chunk.length > 0) yield chunk;
}

/** A row with its size. Characters that JSON escapes can make it larger than it was in the file. */
function measured(row: ImportRow): [ImportRow, number] {
  const size = sizeOf(row);
  if (size <= rowBytes) return [row, size];
  const refused = wrongRow(row.row, 'invalid', `is longer than ${rowBytes} bytes of JSON`);
  return [refused, sizeOf(refused)];
}

/** In bytes of JSON, with the comma that follows. */
const sizeOf = (row: ImportRow): number => Buffer.byteLength(JSON.stringify(row)) + 1;
