import { importLimits } from '@roster/contracts';
import test from 'ava';
import type { Problem } from '../../../rest/problems/problem.js';
import { problemIn } from '../../problem-document.js';
import { gatewayFor, type TestGateway } from '../../test-gateway.js';

const csv = { 'content-type': 'text/csv' };

const post = (
  { send }: TestGateway,
  body: string | Uint8Array<ArrayBuffer>,
  query = '',
  headers: Record<string, string> = csv,
) => send(`/v1/imports/preview${query}`, { method: 'POST', headers, body });

interface Preview {
  delimiter?: string;
  columns?: { name: string; field: string | null; problem: string | null; values: string[] }[];
  errors: { pointer: string; message: string }[];
  rows: object[];
}

const previewIn = async (response: Response) =>
  ((await response.json()) as { preview: Preview }).preview;

/** The rows that the service was asked to try. */
const tried = ({ stubs }: TestGateway) =>
  stubs
    .calls('imports.preview')
    .map(({ input }) => (input as { rows: { row: number; contact?: object }[] }).rows);

test('shows the delimiter, and each column with its field and first values', async (t) => {
  const gateway = await gatewayFor(t);
  const file =
    'E-mail;City;Note;Id;Unsubscribed;Tags\na@example.com;Oslo;;1;no;x;;\n\nb@example.com;;;2;yes;\n;Bonn\n;Rom;;;;\n;Genf;;;;\n';
  const query = '?map=E-mail:email&map=Note:&mode=skip&dryRun=true&fileName=x.csv';
  const response = await post(gateway, file, query);
  t.is(response.status, 200);
  const preview = await previewIn(response);
  t.is(preview.delimiter, ';');
  t.deepEqual(preview.columns, [
    {
      ...{ name: 'E-mail', field: 'email', problem: null },
      values: ['a@example.com', 'b@example.com'],
    },
    {
      ...{ name: 'City', field: 'properties.City', problem: null },
      values: ['Oslo', 'Bonn', 'Rom'],
    },
    { name: 'Note', field: null, problem: null, values: [] },
    { name: 'Id', field: null, problem: null, values: ['1', '2'] },
    { name: 'Unsubscribed', field: 'unsubscribed', problem: null, values: ['no', 'yes'] },
    { name: 'Tags', field: 'tags', problem: null, values: ['x'] },
  ]);
  t.deepEqual(preview.errors, []);
  t.deepEqual(preview.rows, [{ row: 2, contact: { email: 'ada@example.com' }, errors: [] }]);
  const [call] = gateway.stubs.calls('imports.preview');
  t.like(call!.input, { format: 'csv', mode: 'skip' });
  t.like(tried(gateway)[0]!.slice(0, 2), [
    {
      row: 2,
      contact: {
        ...{ email: 'a@example.com', status: 'subscribed', tags: ['x'] },
        properties: { City: 'Oslo' },
      },
    },
    { row: 4, contact: { email: 'b@example.com', status: 'unsubscribed' } },
  ]);
});

test('names the columns that must be mapped with the errors of an import, and tries no rows', async (t) => {
  const gateway = await gatewayFor(t);
  for (const [file, query] of [
    ['E-mail,First name,Name,name\na@example.com,Ada,x,y\n', ''],
    ['email,b\n', '?map=c:name'],
    ['city\nOslo\n', ''],
    [`email,${Array.from({ length: 40 }, (_, n) => `a ${n}`).join()}\n`, ''],
  ] as const) {
    const { errors, columns, rows } = await previewIn(await post(gateway, file, query));
    const refused = await gateway.send(`/v1/imports${query}`, {
      ...{ method: 'POST', headers: csv, body: file },
    });
    t.is(refused.status, 422);
    t.deepEqual(((await refused.json()) as { errors: object }).errors, errors);
    t.deepEqual(rows, []);
    for (const { name, field, problem } of columns!) {
      const pointers = errors.map(({ pointer }) => pointer);
      if (problem === null) t.false(pointers.includes(`/map/${name}`) && name !== 'Name');
      else t.is(field, null);
    }
  }
  t.deepEqual(tried(gateway), []);
  const { columns } = await previewIn(await post(gateway, 'First name\nAda\n'));
  t.like(columns![0], { name: 'First name', values: ['Ada'] });
  t.regex(columns![0]!.problem!, /^must be a field/);
});

test('a file that an import refuses is refused with the same words', async (t) => {
  const gateway = await gatewayFor(t);
  for (const [file, query] of [
    ['', ''],
    ['\n\n', ''],
    ['a"b,email\n', ''],
    ['email;name\n', '?delimiter=,'],
    ['sep=x\nemail\n', ''],
    ['em\u{e4}il\n', '?nowhere=1'],
    ['email\n', '?mode=x'],
  ] as const) {
    const answers = await Promise.all(
      ['/v1/imports', '/v1/imports/preview'].map(async (path) => {
        const init = { method: 'POST', headers: csv, body: file };
        return problemIn(await gateway.send(path + query, init));
      }),
    );
    const [{ requestId: _, ...imported }, { requestId: __, ...previewed }] = answers as [
      Problem,
      Problem,
    ];
    t.deepEqual(previewed, imported, file);
  }
});

test('reads the first rows only, and none that may be cut', async (t) => {
  const gateway = await gatewayFor(t);
  const { previewBytes, previewRows } = importLimits;
  const many = `email\n${'a@example.com\n'.repeat(previewBytes)}`.slice(0, previewBytes);
  t.is((await post(gateway, many)).status, 200);
  t.is(tried(gateway)[0]!.length, previewRows);
  const long = `email,name\na@example.com,x\nb@example.com,${'y'.repeat(previewBytes)}`;
  t.is((await post(gateway, long.slice(0, 50_000))).status, 200);
  t.deepEqual(
    tried(gateway)[1]!.map(({ row }) => row),
    [2, 3],
  );
  // Rows of 100 KiB: the third is cut.
  const large = `{"email":"a@example.com","name":"${'z'.repeat(100 * 1024)}"}\n`.repeat(3);
  const ndjson = { 'content-type': 'application/x-ndjson' };
  t.is((await post(gateway, large.slice(0, previewBytes), '', ndjson)).status, 200);
  t.deepEqual(
    tried(gateway)[2]!.map(({ row }) => row),
    [1, 2],
  );
  const blank = '\n'.repeat(previewBytes);
  t.is((await post(gateway, blank)).status, 422);
  t.is((await post(gateway, `${many}x`)).status, 413);
});

test('takes every media type of an import, and its parameters of CSV with CSV only', async (t) => {
  const gateway = await gatewayFor(t);
  const form = new FormData();
  form.set('file', new Blob(['email\na@example.com\n']), 'a.csv');
  const { send } = gateway;
  const path = '/v1/imports/preview';
  t.is((await send(path, { method: 'POST', body: form })).status, 200);
  const binary = { 'content-type': 'application/octet-stream' };
  const line = '{"email":"a@example.com"}';
  const preview = await previewIn(await post(gateway, line, '', binary));
  t.false('columns' in preview || 'delimiter' in preview);
  const problem = await problemIn(await post(gateway, line, '?map=a:email', binary));
  t.like(problem, { code: 'invalid', errors: [{ pointer: '/map' }] });
  t.is((await post(gateway, line, '', { 'content-type': 'text/plain' })).status, 415);
});

test('rows that grow as JSON are sent only as far as one call takes them', async (t) => {
  const gateway = await gatewayFor(t);
  const file = `email,name\n${`a@example.com,${'\u0001'.repeat(11_000)}\n`.repeat(20)}`;
  t.is((await post(gateway, file)).status, 200);
  const [rows] = tried(gateway);
  t.true(rows!.length > 0 && JSON.stringify(rows).length <= importLimits.chunkBytes + 1000);
});
