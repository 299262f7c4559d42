import { importLimits } from '@roster/contracts';
import test from 'ava';
import type { FileRow } from '../../../rest/imports/rows/import-row.js';
import { buildChunks, type Chunk } from '../../../rest/imports/store-chunks.js';
import { collect, messagesOf } from './read-rows.js';

const header = { delimiter: ',', columns: ['name'] } as const;

const chunksOf = (names: readonly string[]): Promise<Chunk[]> =>
  collect(buildChunks(rowsOf(names)));

async function* rowsOf(names: readonly string[]): AsyncGenerator<FileRow> {
  for (const [index, name] of names.entries()) {
    await Promise.resolve();
    const row = { row: index + 1, contact: { name } };
    yield { row, text: name, header: { ...header, columns: ['name'] } };
  }
}

test('chunks have at most 500 rows and 256 KiB, in the order of the file', async (t) => {
  const small = Array.from({ length: 1_201 }, () => 'Ada');
  const large = Array.from({ length: 20 }, () => 'x'.repeat(60_000));
  const chunks = await chunksOf([...small, ...large]);
  t.deepEqual(
    chunks.flatMap(({ rows }) => rows).map(({ row }) => row),
    Array.from({ length: 1_221 }, (_, index) => index + 1),
  );
  t.deepEqual(
    chunks.slice(0, 2).map(({ rows }) => rows.length),
    [importLimits.chunkRows, importLimits.chunkRows],
  );
  for (const { rows, texts } of chunks) {
    t.is(texts.length, rows.length);
    t.true(JSON.stringify([rows, texts]).length <= importLimits.chunkBytes + 10);
  }
  // The columns are those of the import.
  t.deepEqual(
    chunks.map((chunk) => chunk.header),
    [header, ...chunks.slice(1).map(() => undefined)] as object[],
  );
});

test('a row that is larger than a chunk in JSON fails alone', async (t) => {
  const chunks = await chunksOf(['a', '\u0001'.repeat(60_000), 'b']);
  t.deepEqual(messagesOf(chunks.flatMap(({ rows }) => rows)), [
    undefined,
    'is longer than 131072 bytes of JSON',
    undefined,
  ]);
});

test('a text that is longer than contacts can be is not kept', async (t) => {
  const [chunk] = await chunksOf([
    'a',
    'x'.repeat(16_000),
    'x'.repeat(17_000),
    '\u0001'.repeat(5_000),
  ]);
  t.deepEqual(
    chunk!.texts.map((text) => text?.length),
    [1, 16_000, undefined, undefined],
  );
});
