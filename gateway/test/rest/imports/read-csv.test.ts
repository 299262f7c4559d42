import { Fault } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { csvHeader, csvRows } from '../../../rest/exports/csv.js';
import { contactOf } from '../exports/stub-contacts.js';
import { readCsv } from '../../../rest/imports/rows/read-csv.js';
import { collect, csvRowsOf } from './read-rows.js';

test('columns named like fields are those fields, and others are properties', async (t) => {
  const file = 'Email,name,tags,status,city\nada@example.com,Ada,vip; new;,unsubscribed,London\n';
  t.deepEqual(await csvRowsOf(file), [
    {
      row: 2,
      contact: {
        email: 'ada@example.com',
        name: 'Ada',
        tags: ['vip', 'new'],
        status: 'unsubscribed',
        properties: { city: 'London' },
      },
    },
  ]);
});

test('a column is renamed or omitted by map', async (t) => {
  const map = { 'E-Mail': 'email', 'Home town': 'properties.city', Note: '' };
  const file = 'E-Mail,Home town,Note\nada@example.com,London,secret\n';
  t.deepEqual(await csvRowsOf(file, map), [
    { row: 2, contact: { email: 'ada@example.com', properties: { city: 'London' } } },
  ]);
});

test('spaces around an email address, a status and tags are removed, not those of other fields', async (t) => {
  const file =
    'email,name,tags,status,city\n a@example.com\u00A0, A ," x ; "" y "" ;;", subscribed, B \n , ,,,';
  t.deepEqual(await csvRowsOf(file), [
    {
      row: 2,
      contact: {
        ...{ email: 'a@example.com', name: ' A ', status: 'subscribed', tags: ['x', ' y '] },
        properties: { city: ' B ' },
      },
    },
    { row: 3, contact: { name: ' ' } },
  ]);
});

test('a tag with a quote that does not end it fails its row, and a quote within a tag is a part of it', async (t) => {
  const file =
    'email,tags\na@example.com,"5"" pipe;x"\na@example.com,"""x;y"\na@example.com,"""x""y"\n';
  const [read, ...refused] = await csvRowsOf(file);
  t.like(read, { contact: { tags: ['5" pipe', 'x'] } });
  for (const row of refused) t.like(row, { problem: { code: 'malformed', pointer: '/tags' } });
});

test('an empty cell is not a field, an empty row is not a row, and rows are counted as spreadsheets do', async (t) => {
  const file = '\uFEFFemail,name,city\r\na@example.com,,\r\n\r\n"b@example.com","B\nb",x';
  t.deepEqual(await csvRowsOf(file), [
    { row: 2, contact: { email: 'a@example.com' } },
    { row: 4, contact: { email: 'b@example.com', name: 'B\nb', properties: { city: 'x' } } },
  ]);
});

test('a row with another number of cells or invalid UTF-8 fails alone', async (t) => {
  const file = Buffer.from(
    'email,name\na@example.com\nb@example.com,\xff\nc@example.com,C\n',
    'latin1',
  );
  t.deepEqual(await csvRowsOf(file), [
    { row: 2, problem: { code: 'malformed', pointer: '', message: 'has 1 cells instead of 2' } },
    {
      row: 3,
      problem: { code: 'malformed', pointer: '', message: 'is not valid UTF-8 in the column name' },
    },
    { row: 4, contact: { email: 'c@example.com', name: 'C' } },
  ]);
});

test('a file that cannot be divided into rows is refused with the row', async (t) => {
  const refused = async (file: string, message: RegExp) => {
    const fault = await faultOf(t, csvRowsOf(file));
    t.is(fault.code, 'invalid');
    t.regex(fault.message, message);
  };
  await refused('', /^The file is empty/);
  await refused('email\na@example.com\n"b', /^Row 3 has a quote that is not closed\.$/);
  await refused('email\n"a"b\n', /^Row 2 has text after a closing quote/);
  await refused('email\na"b\n', /^Row 2 has a quote within a cell/);
  await refused(`email\n${'x'.repeat(200_000)}`, /^Row 2 is longer than 131072 bytes\.$/);
});

test('a row is refused once it is too long, even if it consists of delimiters', async (t) => {
  const part = Buffer.alloc(16 * 1024, ',');
  for (const header of ['', 'email\n']) {
    let parts = 0;
    const endless = async function* () {
      if (header !== '') yield Buffer.from(header);
      for (; parts < 200; parts += 1) yield part;
    };
    const { message } = await faultOf(t, collect(readCsv(endless())));
    t.is(message, `Row ${header === '' ? 1 : 2} is longer than 131072 bytes.`);
    t.true(parts < 100);
  }
});

test('a header that cannot be imported is refused, and each wrong column is named', async (t) => {
  const errorsOf = async (file: string, map?: Record<string, string>) => {
    const { code, details } = await faultOf(t, csvRowsOf(file, map));
    t.is(code, 'invalid');
    return details.errors!.map(({ pointer }) => pointer);
  };
  t.deepEqual(await errorsOf('name\nAda\n'), ['/map']);
  t.deepEqual(await errorsOf('email,Home town\n'), ['/map/Home town']);
  t.deepEqual(await errorsOf('email,__proto__\n'), ['/map/__proto__']);
  t.deepEqual(await errorsOf('email,name\n', { other: 'name' }), ['/map/other']);
  t.deepEqual(await errorsOf('email,name\n', { name: 'email' }), ['/map/name']);
  t.deepEqual(await errorsOf('email,city\n', { city: 'properties.x y' }), ['/map/city']);
});

test('a file with another separator is refused with a sentence that says so', async (t) => {
  for (const separator of [';', '\t', '|']) {
    const file = ['email', 'name'].join(separator);
    const { code, message } = await faultOf(t, csvRowsOf(file));
    t.is(code, 'invalid');
    t.is(
      message,
      `The first row has no commas. Separate the columns by commas instead of ${JSON.stringify(separator)}.`,
    );
    t.deepEqual(await csvRowsOf(file, { [file]: 'email' }), []);
  }
});

test('a file has a bounded number of columns', async (t) => {
  const header = (columns: number) =>
    ['email', ...Array.from({ length: columns - 1 }, (_, at) => `p${at}`)].join(',');
  t.deepEqual(await csvRowsOf(header(1100)), []);
  const { code, message } = await faultOf(t, csvRowsOf(header(1101)));
  t.is(code, 'invalid');
  t.is(message, 'The file has more than 1100 columns.');
});

test('a file gives the same rows however its bytes arrive', async (t) => {
  const cell = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('=1', "'=1", '"', '\r\n'));
  const tag = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }),
    fc.constantFrom(';', ' ', '" ', '"";', '=1', "'=1", '\u00A0x', 'a "b"'),
  );
  const property = fc.asyncProperty(
    fc.array(fc.record({ name: cell, city: cell, tags: fc.array(tag) }), { maxLength: 8 }),
    fc.array(fc.nat(400), { maxLength: 8 }),
    async (texts, ends) => {
      const rowOf = csvRows(['city']);
      const lines = texts.map(({ city, ...others }) =>
        rowOf(contactOf({ ...others, properties: { city } })),
      );
      const file = csvHeader(['city']) + lines.join('');
      const rows = await csvRowsOf(file, {}, ends);
      // What the export wrote is what the import reads.
      t.deepEqual(
        rows,
        texts.map(({ name, city, tags }, index) => ({
          row: index + 2,
          contact: {
            email: 'ada@example.com',
            status: 'subscribed',
            ...(name !== '' && { name }),
            ...(tags.length > 0 && { tags }),
            ...(city !== '' && { properties: { city } }),
          },
        })),
      );
    },
  );
  await fc.assert(property, { numRuns: 300 });
});

function faultOf(t: ExecutionContext, rows: Promise<unknown>): Promise<Fault> {
  return t.throwsAsync<Fault>(rows, { instanceOf: Fault });
}
