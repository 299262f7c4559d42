import { RosterError } from '@roster/client';
import test from 'ava';
import fc from 'fast-check';
import { Client, openRoster } from './client.js';
import { sharedRoster } from './running-roster.js';

const cell = fc.oneof(
  fc.constantFrom('a@example.com', 'b@example.com', 'out@example.com', 'bad', ''),
  fc.constantFrom('"Ada ""A"" B"', '"', 'a"b', '"x\n y"', '"x" y', "'=1", 'vip;"a;b"', ' x '),
  fc.constantFrom('yes', 'no', 'subscribed', 'unsubscribed', '\u0000', 'é', 'x'.repeat(300)),
);
const column = fc.constantFrom(
  ...['name', 'tags', 'status', 'Unsubscribed', 'city', 'id', 'plan', 'externalId'],
);
const csvFile = fc
  .record({
    columns: fc.uniqueArray(column, { maxLength: 4 }),
    delimiter: fc.constantFrom(',', ';', '|', '\t'),
    lineBreak: fc.constantFrom('\n', '\r\n'),
    rows: fc.array(fc.array(cell, { minLength: 1, maxLength: 6 }), { maxLength: 8 }),
  })
  .map(({ columns, delimiter, lineBreak, rows }) =>
    [['email', ...columns], ...rows].map((row) => row.join(delimiter)).join(lineBreak),
  );
const json = fc.constantFrom<unknown>('a@example.com', 'bad', 1, null, ['x'], ['x', 'x'], {
  a: 'b',
});
const line = fc.oneof(
  fc
    .dictionary(fc.constantFrom('email', 'name', 'tags', 'properties', 'status', 'x'), json)
    .map((fields) => JSON.stringify({ email: 'a@example.com', ...fields })),
  fc.constantFrom('', '[]', '{', '1', '{"__proto__": 1, "email": "a@example.com"}'),
);
const ndjsonFile = fc.array(line, { maxLength: 8 }).map((lines) => lines.join('\n'));

const file = fc.oneof(
  fc.record({ format: fc.constant('csv' as const), text: csvFile }),
  fc.record({ format: fc.constant('ndjson' as const), text: ndjsonFile }),
);

const refusalOf = (error: unknown): RosterError => error as RosterError;

interface ErrorsAnswer {
  data: { import: { errors: { nodes: { row: number; code: string }[] } } };
}

test('a preview of a file refuses the rows that a dry run refuses, for the same reasons', async (t) => {
  const { baseUrl, newWorkspace } = await sharedRoster(t);
  const access = { baseUrl, apiKey: (await newWorkspace('Previews')).apiKey };
  const roster = openRoster(access);
  const graphql = new Client(access);
  const out = await roster.contacts.create({ email: 'out@example.com' });
  await roster.contacts.unsubscribe(out.id);
  const errorsOf = async (id: string) => {
    const query = `{ import(id: "${id}") { errors(first: 100) { nodes { row pointer code message } } } }`;
    const { body } = await graphql.post<ErrorsAnswer>('/graphql', { query });
    return body.data.import.errors.nodes.map((one) => ({ ...one, code: one.code.toLowerCase() }));
  };
  let refusedFiles = 0;
  let refusedRows = 0;
  await fc.assert(
    fc.asyncProperty(file, async ({ format, text }) => {
      if (text === '') return;
      const map = { fileName: 'x', ...(format === 'csv' && { map: { email: 'email' } }) };
      const preview = await roster.imports.preview(text, { format, ...map }).catch(refusalOf);
      const imported = roster.imports.create(text, { format, dryRun: true, ...map });
      const dryRun = await imported.then((state) => state, refusalOf);
      if (dryRun instanceof RosterError) {
        t.true(preview.errors.length > 0 || preview instanceof RosterError, text);
        t.deepEqual(preview.errors, dryRun.errors);
        if (preview instanceof RosterError) t.is(preview.detail, dryRun.detail);
        else t.deepEqual(preview.rows, []);
        refusedFiles += 1;
        return;
      }
      if (preview instanceof RosterError) throw preview;
      const errors = await errorsOf(dryRun.id);
      refusedRows += errors.length;
      t.is(preview.rows.length, dryRun.total);
      t.is(preview.format, dryRun.format);
      t.deepEqual(
        preview.rows.flatMap(({ row, errors: ofRow }) => ofRow.map((one) => ({ row, ...one }))),
        errors,
      );
    }),
    { numRuns: 25 },
  );
  t.true(refusedFiles > 0 || refusedRows > 0);
  const { contacts } = await roster.contacts.list();
  t.deepEqual(
    contacts.map(({ id }) => id),
    [out.id],
  );
});
