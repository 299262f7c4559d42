import { Fault } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { csvHeader, csvRows } from '../../../rest/exports/csv.js';
import { contactOf } from '../exports/stub-contacts.js';
import { readCsv } from '../../../rest/imports/rows/read-csv.js';
import type { FileRow } from '../../../rest/imports/rows/import-row.js';
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
  t.deepEqual(await csvRowsOf(file, { map }), [
    { row: 2, contact: { email: 'ada@example.com', properties: { city: 'London' } } },
  ]);
});

test('a column Unsubscribed is another way to write the status', async (t) => {
  const file = (words: readonly string[]) =>
    `email,Unsubscribed\n${words.map((word) => `a@example.com,${word}`).join('\n')}\n`;
  const statusesOf = async (...words: string[]) =>
    (await csvRowsOf(file(words))).map((row) => 'contact' in row && row.contact['status']);
  t.deepEqual(
    await statusesOf(
      'true',
      'Yes',
      '1',
      'UNSUBSCRIBED',
      'FALSE',
      'no',
      ' 0 ',
      'Subscribed',
      '',
      ' ',
    ),
    [
      ...Array<string>(4).fill('unsubscribed'),
      ...Array<string>(4).fill('subscribed'),
      ...[undefined, undefined],
    ],
  );
  const [refused] = await csvRowsOf(file(['maybe']));
  t.like(refused, { problem: { code: 'invalid', pointer: '/status' } });
  const map = { Unsubscribed: 'properties.unsubscribed' };
  t.like(await csvRowsOf(file(['maybe']), { map }), [
    { contact: { properties: { unsubscribed: 'maybe' } } },
  ]);
  const twice = csvRowsOf('email,status,unsubscribed\na@example.com,subscribed,no\n');
  const { details } = await t.throwsAsync<Fault>(twice);
  t.deepEqual(details.errors, [
    { pointer: '/map/unsubscribed', message: 'is the second column of the field status' },
  ]);
});

test('the columns addTags and removeTags have single tags', async (t) => {
  const file = 'email,AddTags,removetags\na@example.com,x;y,z\nb@example.com,,"""x""y"\n';
  const [read, refused] = await csvRowsOf(file);
  t.like(read, { contact: { email: 'a@example.com', addTags: ['x', 'y'], removeTags: ['z'] } });
  t.like(refused, { problem: { code: 'malformed', pointer: '/removeTags' } });
});

test('spaces around an email address, a status and tags are removed, not those of other fields', async (t) => {
  const file =
    'email,name,tags,status,city\n a@example.com\u00A0, A ," x ; "" y "" ;;", subscribed, B \n ,A,,,';
  t.deepEqual(await csvRowsOf(file), [
    {
      row: 2,
      contact: {
        ...{ email: 'a@example.com', name: ' A ', status: 'subscribed', tags: ['x', ' y '] },
        properties: { city: ' B ' },
      },
    },
    { row: 3, contact: { name: 'A' } },
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

test('a wrong quote fails the row up to its line break, and the others are read', async (t) => {
  const wrong = {
    '"x@example.com': 'has a quote that is not closed',
    '"x"y': 'has text after a closing quote. Within a quoted cell, a quote is written as two',
    'a"b':
      'has a quote within a cell that is not quoted. Quote the cell, and write the quote as two',
    '"x";"y"': 'has ";" after a closing quote, but the columns are separated by ","',
    '"5"" pipe': 'has a quote that is not closed',
  };
  for (const [line, message] of Object.entries(wrong)) {
    const expected = [
      { row: 2, contact: { email: 'a@example.com' } },
      { row: 3, problem: { code: 'malformed', pointer: '', message } },
      { row: 4, contact: { email: 'b@example.com' } },
    ];
    t.deepEqual(await csvRowsOf(`email\na@example.com\n${line}\nb@example.com\n`), expected, line);
    t.deepEqual(await csvRowsOf(`email\r\na@example.com\r\n${line}\r\nb@example.com`), expected);
  }
  t.like((await csvRowsOf('email\na@example.com\n"b')).at(-1), {
    problem: { message: 'has a quote that is not closed' },
  });
});

test('a wrong quote is found however far the next one is, and no row after it is lost', async (t) => {
  const lines = Array.from({ length: 9_000 }, (_, n) => `c${n}@example.com,${'x'.repeat(20)}`);
  for (const next of ['"y"', 'y']) {
    const file = ['email,note', '"a@example.com,x', ...lines, `b@example.com,${next}`].join('\n');
    const [first, ...rows] = await csvRowsOf(file, {}, [5_000, 5_001, 200_000]);
    t.like(first, { row: 2, problem: { message: 'has a quote that is not closed' } });
    t.is(rows.length, 9_001);
    t.true(rows.every((row) => 'contact' in row));
  }
});

test('a row that is too long fails alone, whatever it consists of', async (t) => {
  for (const part of ['x', ',', '"', '\n"', ' ', '";', '""x']) {
    const file = `email\n${part.startsWith('\n') ? '"' : ''}${part.repeat(200_000 / part.length).replaceAll('\n', '')}\r\na@example.com\r\n`;
    for (const ends of [[], [100_000], [206_000, 200_006, 200_007]]) {
      const rows = await csvRowsOf(file, {}, ends);
      t.is(rows.length, 2);
      t.true('problem' in rows[0]!);
      t.deepEqual(rows[1], { row: 3, contact: { email: 'a@example.com' } });
    }
  }
  const [row] = await csvRowsOf(`email\n${'x'.repeat(200_000)}`);
  t.like(row, { row: 2, problem: { message: 'is longer than 131072 bytes' } });
});

test('an endless row is refused before all of it has arrived, and the rest is not kept', async (t) => {
  let parts = 0;
  const endless = async function* () {
    yield Buffer.from('email\n');
    for (; parts < 500; parts += 1) yield Buffer.alloc(16 * 1024, ',');
    yield Buffer.from('\na@example.com');
  };
  const rows = readCsv(endless());
  t.true('problem' in ((await rows.next()).value as FileRow).row);
  t.true(parts < 20);
  const [next] = await collect(rows);
  t.deepEqual(next!.row, { row: 3, contact: { email: 'a@example.com' } });
});

test('a header with a wrong quote, or that is too long, is refused with its row', async (t) => {
  t.is((await faultOf(t, csvRowsOf(''))).message.slice(0, 17), 'The file is empty');
  t.is((await faultOf(t, csvRowsOf('\n"email'))).message, 'Row 2 has a quote that is not closed.');
  const long = 'x'.repeat(200_000);
  t.is((await faultOf(t, csvRowsOf(long))).message, 'Row 1 is longer than 131072 bytes.');
});

test('a file may name contacts by external IDs alone, whatever their column is called', async (t) => {
  for (const [file, map] of [
    ['ExternalId;name\n x ;Ada\n;B\n', {}],
    ['CRM;name\nx;Ada\n;B\n', { CRM: 'externalId' }],
  ] as const)
    t.deepEqual(await csvRowsOf(file, { map }), [
      { row: 2, contact: { externalId: 'x', name: 'Ada' } },
      { row: 3, contact: { name: 'B' } },
    ]);
});

test('a header that cannot be imported is refused, and each wrong column is named', async (t) => {
  const errorsOf = async (file: string, map: Record<string, string> = {}) => {
    const { code, details } = await faultOf(t, csvRowsOf(file, { map }));
    t.is(code, 'invalid');
    return details.errors!.map(({ pointer }) => pointer);
  };
  t.deepEqual(await errorsOf('name\nAda\n'), ['/map']);
  t.deepEqual(await errorsOf('email,name\n', { email: '' }), ['/map']);
  t.deepEqual(await errorsOf('externalId,name\n', { externalId: '' }), ['/map']);
  t.deepEqual(await errorsOf('email,Home town\n'), ['/map/Home town']);
  t.deepEqual(await errorsOf('email,__proto__\n'), ['/map/__proto__']);
  t.deepEqual(await errorsOf('email,name\n', { other: 'name' }), ['/map/other']);
  t.deepEqual(await errorsOf('email,name\n', { name: 'email' }), ['/map/name']);
  t.deepEqual(await errorsOf('email,city\n', { city: 'properties.x y' }), ['/map/city']);
});

test('the delimiter is the one that separates the columns of the first row', async (t) => {
  const map = { 'Last, first; name': 'name', 'E-mail|1': 'email' };
  for (const delimiter of [',', ';', '\t', '|']) {
    const file = ['email', '"name"', 'city', '\r\na@example.com', '"A;B,C|D\tE"', 'x']
      .join(delimiter)
      .replaceAll(`${delimiter}\r`, '\r');
    t.deepEqual(await csvRowsOf(file), [
      {
        row: 2,
        contact: { email: 'a@example.com', name: 'A;B,C|D\tE', properties: { city: 'x' } },
      },
    ]);
    const mapped = ['"Last, first; name"', '"E-mail|1"\na', 'b'].join(delimiter);
    t.deepEqual(await csvRowsOf(mapped, { map }), [{ row: 2, contact: { name: 'a', email: 'b' } }]);
  }
  t.deepEqual(await csvRowsOf('email;tags,a,b,c\nx;y', { map: { 'tags,a,b,c': 'tags' } }), [
    { row: 2, contact: { email: 'x', tags: ['y'] } },
  ]);
  t.deepEqual(await csvRowsOf('email\na;b|c'), [{ row: 2, contact: { email: 'a;b|c' } }]);
});

test('files are read as spreadsheets write them', async (t) => {
  const contact = {
    ...{ email: 'zoe@example.com', name: 'Zoë "Z" Žák', tags: ['a', 'b;c'] },
    properties: { city: 'Köln; Rhein', note: 'x\ny' },
  };
  const files = {
    'Excel, a locale with decimal commas':
      '\uFEFFemail;name;tags;city;note;\r\nzoe@example.com;"Zoë ""Z"" Žák";"a;""b;c""";"Köln; Rhein";"x\ny";\r\n;;;;;\r\n',
    'Excel, tabs':
      'email\tname\ttags\tcity\tnote\r\nzoe@example.com\t"Zoë ""Z"" Žák"\t"a;""b;c"""\tKöln; Rhein\t"x\ny"\r\n',
    'LibreOffice, all text quoted':
      '"email";"name";"tags";"city";"note"\n"zoe@example.com";"Zoë ""Z"" Žák";"a;""b;c""";"Köln; Rhein";"x\ny"\n',
    'Google Sheets, without a break at the end':
      'email,name,tags,city,note\r\nzoe@example.com,"Zoë ""Z"" Žák","a;""b;c""",Köln; Rhein,"x\ny"',
    'Numbers, a table with empty cells':
      'email,name,tags,city,note,,\r\nzoe@example.com,"Zoë ""Z"" Žák","a;""b;c""",Köln; Rhein,"x\ny",,\r\n,,,,,,\r\n',
  };
  for (const [program, file] of Object.entries(files))
    t.deepEqual(await csvRowsOf(file), [{ row: 2, contact }], program);
});

test('a delimiter that is given, or that the first line says, is taken', async (t) => {
  const rows = [{ row: 2, contact: { email: 'a@example.com', name: 'A' } }];
  for (const line of ['sep=;', '"sep=;"', 'SEP=;', 'sep=;;;'])
    t.deepEqual(await csvRowsOf(`\uFEFF${line}\r\nemail;name\r\na@example.com;A\r\n`), rows, line);
  const map = { 'a,b': 'email', 'c,d': 'name' };
  t.deepEqual(await csvRowsOf('a,b;c,d\na@example.com;A', { map, delimiter: ';' }), rows);
  t.deepEqual(await csvRowsOf('sep=,\nemail;name\na@example.com;A', { delimiter: ';' }), rows);
  const wrong = await faultOf(t, csvRowsOf('"email";"name"\n', { delimiter: ',' }));
  t.is(wrong.message, 'The columns of the first row are separated by ";" instead of ",".');
  const other = await faultOf(t, csvRowsOf('sep=^\nemail^name\n'));
  t.regex(other.message, /^The file says sep=\^\./);
});

test('rows of empty cells and empty columns at the end are ignored, and content in them is not', async (t) => {
  const file =
    ';;;\nemail;name;;\na@example.com;A;;\n;;;\n;\nb@example.com;B\nc@example.com;C;;x;\n;D; ;\n';
  t.deepEqual(await csvRowsOf(file), [
    { row: 3, contact: { email: 'a@example.com', name: 'A' } },
    { row: 6, contact: { email: 'b@example.com', name: 'B' } },
    { row: 7, problem: { code: 'malformed', pointer: '', message: 'has 4 cells instead of 2' } },
    { row: 8, contact: { name: 'D' } },
  ]);
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

test('a column of errors.csv cannot be mapped, because the next errors.csv would replace it', async (t) => {
  for (const name of ['error.row', 'Error.Text']) {
    const fault = await faultOf(
      t,
      csvRowsOf(`email,${name}\na@example.com,1\n`, { map: { [name]: 'properties.mine' } }),
    );
    t.like(fault.details.errors, [{ pointer: `/map/${name}` }]);
    await t.notThrowsAsync(csvRowsOf(`email,${name}\na@example.com,1\n`, { map: { [name]: '' } }));
  }
});

function faultOf(t: ExecutionContext, rows: Promise<unknown>): Promise<Fault> {
  return t.throwsAsync<Fault>(rows, { instanceOf: Fault });
}
