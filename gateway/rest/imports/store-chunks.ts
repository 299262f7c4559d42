import type { ImportRow } from '@roster/contracts';

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
