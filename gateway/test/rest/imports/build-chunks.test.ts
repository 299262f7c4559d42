import { importLimits, type ImportRow } from '@roster/contracts';
import test from 'ava';
import { buildChunks } from '../../../rest/imports/store-chunks.js';
import { collect, messagesOf } from './read-rows.js';

const chunksOf = (names: readonly string[]): Promise<ImportRow[][]> =>
  collect(buildChunks(rowsOf(names)));

async function* rowsOf(names: readonly string[]): AsyncGenerator<ImportRow> {
  for (const [index, name] of names.entries()) {
    await Promise.resolve();
    yield { row: index + 1, contact: { name } };
  }
}

test('chunks have at most 500 rows and 256 KiB, in the order of the file', async (t) => {
  const small = Array.from({ length: 1_201 }, () => 'Ada');
  const large = Array.from({ length: 20 }, () => 'x'.repeat(60_000));
  const chunks = await chunksOf([...small, ...large]);
  t.deepEqual(
    chunks.flat().map(({ row }) => row),
    Array.from({ length: 1_221 }, (_, index) => index + 1),
  );
  t.deepEqual(
    chunks.slice(0, 2).map(({ length }) => length),
    [importLimits.chunkRows, importLimits.chunkRows],
  );
  for (const chunk of chunks) t.true(JSON.stringify(chunk).length <= importLimits.chunkBytes + 2);
});

test('a row that is larger than a chunk in JSON fails alone', async (t) => {
  const chunks = await chunksOf(['a', '\u0001'.repeat(60_000), 'b']);
  t.deepEqual(messagesOf(chunks.flat()), [
    undefined,
    'is longer than 131072 bytes of JSON',
    undefined,
  ]);
});
