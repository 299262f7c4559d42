import test from 'ava';
import { Fault } from '@roster/contracts';
import { problemIn } from '../../problem-document.js';
import { gatewayFor, sharedGateway } from '../../test-gateway.js';
import { contactOf, stubContacts } from './stub-contacts.js';

const gateway = sharedGateway(test);
const path = '/v1/exports/contacts';

test('CSV has a column for each defined property, and restores every text', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('contacts.export', () => ({ properties: ['city', 'Email', 'note'] }));
  const texts = [
    '=1+1',
    '+33 1',
    '-5',
    '@x',
    '\ty',
    '\rz',
    '\nl',
    "'=1",
    "''",
    'a"b',
    'a,b',
    'a\r\nb',
    '',
    'Łódź 🏙',
    "it's",
  ];
  stubContacts(stubs, [
    contactOf({
      name: 'Ada "née Byron"',
      tags: ['a;b', 'c'],
      properties: { other: 'z', Email: 'y', city: 'x' },
    }),
    ...texts.map((note) => contactOf({ name: note, properties: { note } })),
  ]);
  const response = await send(path);
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="contacts.csv"');
  const rows = parse(await response.text());
  t.deepEqual(rows[0], [
    'id',
    'email',
    'name',
    'status',
    'tags',
    'createdAt',
    'updatedAt',
    'version',
    'externalId',
    'city',
    'properties.Email',
    'note',
  ]);
  const { id, createdAt, updatedAt } = contactOf();
  t.deepEqual(rows[1], [
    id,
    'ada@example.com',
    'Ada "née Byron"',
    'subscribed',
    '"a;b";c',
    createdAt,
    updatedAt,
    '1',
    '',
    'x',
    'y',
    '',
  ]);
  const cells = rows.slice(2).map((row) => row.at(-1)!);
  t.deepEqual(cells.map(restored), texts);
  t.deepEqual(
    cells.slice(0, 9),
    texts
      .slice(0, 8)
      .map((text) => `'${text}`)
      .concat("''"),
  );
  t.deepEqual(
    rows.slice(2).map((row) => row[2]),
    cells,
  );
});

test('no cell with a separator of another spreadsheet stands without quotes', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubContacts(stubs, [
    contactOf({ name: 'x;=1+1', tags: ['a', '=2'] }),
    contactOf({ name: 'x\t=1' }),
  ]);
  const text = await (await send(path)).text();
  t.true(text.includes(',"x;=1+1",subscribed,"a;=2",'), text);
  t.true(text.includes(',"x\t=1",subscribed,'), text);
});

test('NDJSON has each contact as in the list, on a line', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  const contacts = Array.from({ length: 250 }, (_, n) =>
    contactOf({ email: `c${n}@example.com`, name: '=1\n"', properties: { city: 'Łódź' } }),
  );
  stubContacts(stubs, contacts);
  const response = await send(`${path}?format=ndjson`);
  t.is(response.headers.get('content-type'), 'application/x-ndjson');
  t.is(response.headers.get('content-disposition'), 'attachment; filename="contacts.ndjson"');
  const lines = (await response.text()).split('\n');
  t.is(lines.pop(), '');
  t.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    contacts,
  );
});

test('contacts that are larger than those before them are exported in pages of at most 512 KiB', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  const note = 'x'.repeat(60_000);
  const contacts = Array.from({ length: 500 }, (_, n) =>
    contactOf({ email: `c${n}@example.com`, properties: n >= 200 && n < 300 ? { note } : {} }),
  );
  stubContacts(stubs, contacts);
  const response = await send(`${path}?format=ndjson`, { headers: { 'x-request-id': 'sizes' } });
  const exported = await response.text();
  t.is(exported, contacts.map((contact) => `${JSON.stringify(contact)}\n`).join(''));
  const limits = new Map<string, number>();
  for (const { requestId, input } of stubs.calls('contacts.find')) {
    const { after = '0', limit } = input as { after?: string; limit: number };
    if (requestId === 'sizes') limits.set(after, limit);
  }
  for (const [after, limit] of limits) {
    const page = contacts.slice(Number(after), Number(after) + limit);
    t.true(JSON.stringify(page).length <= 512 * 1024, `${limit} contacts after ${after}`);
  }
});

test('HEAD returns the headers and reads no contacts', async (t) => {
  const response = await gateway().send(path, {
    method: 'HEAD',
    headers: { 'x-request-id': 'head' },
  });
  t.is(response.status, 200);
  t.is(response.headers.get('content-type'), 'text/csv; charset=utf-8');
  t.is(await response.text(), '');
  t.deepEqual(gateway().stubs.operationsCalledBy('head'), ['contacts.export']);
});

test('reads the contacts that the filter of the list selects, and rejects parameters of pages', async (t) => {
  const { stubs, send } = gateway();
  const filter =
    'tag=a&tag=b&property[city]=Paris&status=subscribed&q=ada&email=a@example.com&createdAfter=2026-01-31T09:00:00Z';
  const response = await send(`${path}?${filter}`, { headers: { 'x-request-id': 'filtered' } });
  t.is(response.status, 200);
  await response.text();
  const find = stubs.calls('contacts.find').find(({ requestId }) => requestId === 'filtered')!;
  t.like(find.input, {
    tag: ['a', 'b'],
    property: { city: 'Paris' },
    status: 'subscribed',
    q: 'ada',
    email: 'a@example.com',
    createdAfter: '2026-01-31T09:00:00.000Z',
    counted: false,
  });
  for (const parameter of ['limit=5', 'after=x', 'offset=1', 'sort=email', 'format=xml'])
    t.is((await problemIn(await send(`${path}?${parameter}`))).code, 'invalid', parameter);
});

test('a failure of the first page is a problem document', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  stubs.answer('contacts.find', () => new Fault('unavailable', 'Later.'));
  const response = await send(path);
  t.is(response.headers.get('content-disposition'), null);
  t.is((await problemIn(response)).code, 'unavailable');
});

/** What the reference tells readers to do. */
const restored = (cell: string): string => (/^'+[=+\-@\t\r\n]/.test(cell) ? cell.slice(1) : cell);

/** The rows of a file as in RFC 4180. */
function parse(text: string): string[][] {
  const rows: string[][] = [[]];
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/y;
  for (
    let found = cell.exec(text);
    found && cell.lastIndex <= text.length;
    found = cell.exec(text)
  ) {
    rows.at(-1)!.push(found[1]?.replaceAll('""', '"') ?? found[2]!);
    if (cell.lastIndex === text.length) break;
    if (found[3] === '\r\n') rows.push([]);
  }
  return rows;
}

test('numbers and booleans are cells of their JSON, also negative ones, and values of NDJSON', async (t) => {
  const { stubs, send } = await gatewayFor(t);
  const properties = { age: -5, member: false, ratio: 1e-7 };
  stubs.answer('contacts.export', () => ({ properties: Object.keys(properties) }));
  stubContacts(stubs, [contactOf({ properties })]);
  const [, row] = parse(await (await send(path)).text());
  t.deepEqual(row!.slice(-3), ['-5', 'false', '1e-7']);
  const line = await (await send(`${path}?format=ndjson`)).json();
  t.deepEqual((line as { properties: object }).properties, properties);
});
