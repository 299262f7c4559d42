import type { ImportRow } from '@roster/contracts';
import { readCsv, type CsvOptions } from '../../../rest/imports/rows/read-csv.js';
import { readNdjson } from '../../../rest/imports/rows/read-ndjson.js';

/** The bytes of a file in parts that end at these offsets. */
export async function* inParts(
  bytes: Uint8Array,
  ends: readonly number[] = [],
): AsyncGenerator<Uint8Array> {
  let start = 0;
  const within = ends.filter((end) => end < bytes.length).toSorted((a, b) => a - b);
  for (const end of [...within, bytes.length]) {
    await Promise.resolve();
    yield bytes.subarray(start, end);
    start = end;
  }
}

export const csvRowsOf = async (
  file: string | Uint8Array,
  options?: CsvOptions,
  ends?: readonly number[],
): Promise<ImportRow[]> =>
  (await collect(readCsv(inParts(Buffer.from(file as string), ends), options))).map(
    ({ row }) => row,
  );

export const ndjsonRowsOf = async (
  file: string | Uint8Array,
  ends?: readonly number[],
): Promise<ImportRow[]> =>
  (await collect(readNdjson(inParts(Buffer.from(file as string), ends)))).map(({ row }) => row);

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

/** Why rows are not imported; undefined for those that are. */
export const messagesOf = (rows: readonly ImportRow[]): (string | undefined)[] =>
  rows.map((row) => ('problem' in row ? row.problem.message : undefined));
