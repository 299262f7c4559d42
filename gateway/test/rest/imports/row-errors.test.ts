import { Fault, type ImportHeader } from '@roster/contracts';
import test, { type ExecutionContext } from 'ava';
import fc from 'fast-check';
import { connect } from 'node:net';
import { csvCell } from '../../../rest/exports/csv.js';
import { problemIn } from '../../problem-document.js';
import { importId } from '../../stub-results.js';
import { gatewayFor } from '../../test-gateway.js';
import { csvRowsOf } from './read-rows.js';

const path = `/v1/imports/${importId}/errors`;
const errorColumns = 'error.row,error.pointer,error.code,error.message,error.text';

interface Listed {
  row: number;
  pointer: string;
  code: string;
  message: string;
  text?: string | null;
}

const invalid = { pointer: '/email', code: 'invalid', message: 'must be an email address' };

/** The file of these errors. */
async function fileOf(t: ExecutionContext, errors: Listed[], header: ImportHeader | null) {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('imports.list-errors', () => ({ errors, header, next: null }));
  return (await send(path)).text();
}

test('the errors of all pages are one CSV file, whose cells are no formulas', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('imports.list-errors', ({ input }) => {
    const { after = 0 } = input as { after?: number };
    const row = after + 1;
    const error = { row, pointer: '/properties/a"b', code: 'invalid', message: '=1, "x"' };
    return { errors: [error], next: row < 3 ? row : null };
  });
  const response = await send(path);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="errors.csv"');
  t.is(
    await response.text(),
    [
      errorColumns,
      ...[1, 2, 3].map((row) => `${row},"/properties/a""b",invalid,"'=1, ""x""",`),
      '',
    ].join('\r\n'),
  );
});

test('a row has its cells in the columns of the file, whatever separates them', async (t) => {
  const columns = ['E-mail', '=city', 'Note'];
  const text = 'a@|"Paris; ""1"""|=1+1|';
  const file = await fileOf(t, [{ row: 7, ...invalid, text }], { delimiter: '|', columns });
  t.deepEqual(file.split('\r\n'), [
    `E-mail|'=city|Note|${errorColumns.replaceAll(',', '|')}`,
    `a@|"Paris; ""1"""|'=1+1|7|/email|invalid|must be an email address|`,
    '',
  ]);
  const map = { 'E-mail': 'email', '=city': 'properties.city', Note: '' };
  t.deepEqual(await csvRowsOf(file.replace('a@', 'a@example.com'), { map }), [
    { row: 2, contact: { email: 'a@example.com', properties: { city: 'Paris; "1"' } } },
  ]);
});

test('a row that was not divided into columns has its text beside them, and is refused again', async (t) => {
  const malformed = { pointer: '', code: 'malformed', message: 'x' };
  const texts = ['a@example.com,"B', 'a@example.com,B,C', 'a@example.com,B\u{FFFD}'];
  const errors = texts.map((text, row) => ({ row, ...malformed, text }));
  const tooLong = { row: 9, ...malformed, text: null };
  const header = { delimiter: ',' as const, columns: ['email', 'name'] };
  const lines = (await fileOf(t, [...errors, tooLong], header)).split('\r\n');
  t.deepEqual(
    lines.slice(1, -1),
    [...texts, ''].map(
      (text, at) => `,,${[...errors, tooLong][at]!.row},,malformed,x,${csvCell(text)}`,
    ),
  );
  t.deepEqual(
    await csvRowsOf(lines.join('\r\n')),
    lines.slice(1, -1).map((_, at) => ({ row: at + 2, contact: {} })),
  );
});

test('a row with a character that could not be stored has its text beside its columns', async (t) => {
  const text = 'a@example.com,\u{FFFD}x';
  const header = { delimiter: ',' as const, columns: ['email', 'name'] };
  const file = await fileOf(t, [{ row: 2, ...invalid, pointer: '/name', text }], header);
  t.is(file.split('\r\n')[1], `,,2,/name,invalid,must be an email address,${csvCell(text)}`);
});

test('a row with several errors is one row, and a file of errors that is imported has only its own', async (t) => {
  const errors = ['/email', '/name'].map((pointer) => ({ row: 2, ...invalid, pointer }));
  const [first, second] = errors as [Listed, Listed];
  const text = 'a,b,1,/email,invalid,old,';
  const columns = ['email', 'name', ...errorColumns.split(',')];
  const file = await fileOf(t, [{ ...first, text }, second], { delimiter: ',', columns });
  const message = `${invalid.message}\n${invalid.message}`;
  t.deepEqual(file.split('\r\n'), [
    `email,name,${errorColumns}`,
    `a,b,2,"/email\n/name",invalid,"${message}",`,
    '',
  ]);
});

test('lines of NDJSON, and rows whose columns are not known, are texts', async (t) => {
  const line = '{"email":"a@"}';
  const file = await fileOf(t, [{ row: 1, ...invalid, text: line }], null);
  t.deepEqual(file.split('\r\n'), [
    errorColumns,
    `1,/email,invalid,must be an email address,${csvCell(line)}`,
    '',
  ]);
});

test('a file of errors is imported with the values of the rows that were refused', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  const cell = fc.oneof(
    fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\u{FFFD}')),
    fc.constantFrom('=1', "'=1", "''-", '"', 'a\r\nb', ';', '\t', ' x '),
  );
  const property = fc.asyncProperty(
    fc.array(fc.tuple(cell, cell, cell), { minLength: 1, maxLength: 8 }),
    fc.constantFrom(',', ';', '\t', '|'),
    async (rows, delimiter) => {
      const columns = ['email', 'name', 'city'];
      const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
      const texts = rows.map((cells) => ['x', ...cells.slice(1)].map(quoted).join(delimiter));
      stubs.answer('imports.list-errors', () => ({
        errors: texts.map((text, at) => ({ row: at + 2, ...invalid, text })),
        header: { delimiter, columns },
        next: null,
      }));
      const before = await csvRowsOf([columns.join(delimiter), ...texts].join('\n'));
      t.deepEqual(await csvRowsOf(await (await send(path)).text()), before);
    },
  );
  await fc.assert(property, { numRuns: 100 });
});

test('an import without errors has a file with its header', async (t) => {
  const { send } = await gatewayFor(t);
  t.is(await (await send(path)).text(), `${errorColumns}\r\n`);
});

test('a failure of the first page is a problem document', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('imports.list-errors', () => new Fault('not_found', 'No such import.'));
  t.is((await problemIn(await send(path))).code, 'not_found');
});

test('clients of HTTP/1.0, which cannot recognize the end of a file, are refused', async (t) => {
  const gateway = await gatewayFor(t);
  const { apiKey } = gateway.stubs.makeKey();
  const socket = connect(gateway.port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(`GET ${path} HTTP/1.0\r\nHost: x\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`);
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString();
  t.regex(text, /^HTTP\/1\.1 422 /);
  t.regex(text, /Files require HTTP\/1\.1/);
});
