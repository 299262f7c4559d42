import { openLog } from '@roster/process';
import { throwawayDatabase } from '@roster/testing';
import test from 'ava';
import fc from 'fast-check';
import { lines, linesOf, uuids } from '../../database/columns.js';
import { openDatabase } from '../../index.js';

const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom('\n', '\r', '\t', '"', '\\', '{', '}', ',', "'", '\u2028', '\u0001', 'N', ' '),
    fc.constantFrom('é', '山', '🙂', 'NULL', String.raw`\n`, String.raw`\N`),
  ),
});
const json = hostile.map((text) => JSON.stringify({ text }));
const word = fc.constantFrom('NULL', '{}', '"', '\\', "'", ' ', ',', 'é🙂', '\r');

test('PostgreSQL reads the lines of a column as the values that they were made of', async (t) => {
  const { url, drop } = await throwawayDatabase();
  t.teardown(drop);
  const log = openLog('test', 'error');
  const options = { schema: 'columns', poolMax: 2, entities: [], migrations: [], log };
  const database = await openDatabase({ url, ...options });
  t.teardown(() => database.close());
  const statement = {
    name: 'test.columns',
    text: `
      select i.id::text, i.document ->> 'text' as document, i.word
      from unnest($1::uuid[], ${linesOf('$2')}::jsonb[], ${linesOf('$3')}) with ordinality as i (id, document, word, n)
      order by n`,
  };
  const rows = fc.array(fc.tuple(fc.uuid(), fc.option(json), fc.option(word)), {
    minLength: 1,
    maxLength: 20,
  });
  await fc.assert(
    fc.asyncProperty(rows, async (given) => {
      const read = await database.query(statement, [
        uuids(given.map(([id]) => id)),
        lines(given.map(([, document]) => document)),
        lines(given.map(([, , value]) => value)),
      ]);
      t.deepEqual(
        read,
        given.map(([id, document, value]) => ({
          id,
          document: document === null ? null : (JSON.parse(document) as { text: string }).text,
          word: value,
        })),
      );
    }),
    { numRuns: 200 },
  );
});

test('a value with a line break is not sent as a column', (t) => {
  t.throws(() => lines(['a', 'b\nc']), { message: 'A value has a line break.' });
  t.throws(() => lines(['\n']), { message: 'A value has a line break.' });
  t.is(lines([null]), '');
  t.is(lines([]), '');
});
