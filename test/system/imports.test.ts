import type { Import, Roster } from '@roster/client';
import { eventually, shortOrLong } from '@roster/testing';
import test from 'ava';
import { Client, openRoster } from './client.js';
import { processesOf } from './processes.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';
import { subscribed } from './subscribed-receiver.js';

const rows = shortOrLong(15_000, 50_000);
let roster: RunningRoster;
test.before(async (t) => void (roster = await startRoster({ t, env: patience })));
test.after.always(() => roster?.discard());

const ended = new Set(['completed', 'cancelled', 'failed']);

async function* csvFile(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,name,tags,half\n');
  for (let from = 0; from < rows; from += 1000) {
    const lines = Array.from({ length: 1000 }, (_, n) => lineOf(from + n));
    yield Buffer.from(lines.join(''));
  }
}

const lineOf = (n: number): string => `c${n}@example.com,Contact ${n},a;b,${n % 2}\n`;

const end = (id: string, { imports }: Roster): Promise<Import> =>
  eventually(
    async () => {
      const state = await imports.get(id);
      return ended.has(state.status) ? state : undefined;
    },
    { timeoutMs: 300_000 },
  );

const newRoster = async (name: string) =>
  openRoster({ ...roster, apiKey: (await roster.newWorkspace(name)).apiKey });

test.serial(
  'an import of many rows is completed although the service is killed, and every contact exists once',
  async (t) => {
    const client = openRoster(roster);
    const { id, total } = await client.imports.create(csvFile(), { format: 'csv' }).accepted;
    t.is(total, rows);
    await eventually(async () => (await client.imports.get(id)).created > 0);
    const [pid] = processesOf(roster.home, 'contacts');
    process.kill(pid!, 'SIGKILL');
    t.like(await end(id, client), { status: 'completed', created: rows, updated: 0, failed: 0 });
    t.is((await client.contacts.list({ limit: 1 })).pagination.total, rows);
  },
);

test.serial('an exported file can be imported in another workspace', async (t) => {
  const [from, to] = [await newRoster('From'), await newRoster('To')];
  const contact = {
    email: 'ada@example.com',
    name: '=1+1',
    tags: ['a', 'b'],
    properties: { note: 'x, "y"\n', email: 'other' },
  };
  await from.contacts.create(contact);
  const file = await from.contacts.export({ format: 'csv' }).text();
  t.like(await to.imports.create(file, { format: 'csv' }), {
    status: 'completed',
    created: 1,
    failed: 0,
  });
  t.like((await to.contacts.list()).contacts[0], contact);
});

test.serial('a dry run changes nothing, and refused rows are in the file of errors', async (t) => {
  const client = await newRoster('Dry');
  const file = 'email,name\na@example.com,A\nb,B\nc@example.com\n';
  const imported = await client.imports.create(file, { format: 'csv', dryRun: true });
  t.like(imported, { status: 'completed', created: 1, failed: 2 });
  t.deepEqual((await client.contacts.list()).contacts, []);
  const errors = await client.imports.listErrors(imported.id).text();
  t.deepEqual(
    errors
      .trim()
      .split('\r\n')
      .map((line) => line.split(',').slice(0, 5)),
    [
      ['email', 'name', 'error.row', 'error.pointer', 'error.code'],
      ['b', 'B', '3', '/email', 'invalid'],
      ['', '', '4', '', 'malformed'],
    ],
  );
});

test.serial('errors are pages over GraphQL, in the order of rows, also within a row', async (t) => {
  const workspace = await roster.newWorkspace('Errors');
  const access = { ...roster, apiKey: workspace.apiKey };
  const rows = [{ email: 'a@example.com' }, { email: 'b', name: 1, tags: 2 }, { email: 'c' }];
  const file = rows.map((row) => JSON.stringify(row)).join('\n');
  const { id } = await openRoster(access).imports.create(file, { format: 'ndjson' });
  const read = async (page: string) => {
    const selection = 'pageInfo { endCursor hasNextPage } nodes { row pointer code message text }';
    const query = `{ import(id: "${id}") { errors(${page}) { ${selection} } } }`;
    const { body } = await new Client(access).post<ErrorsAnswer>('/graphql', { query });
    t.truthy(body.data, JSON.stringify(body));
    return body;
  };
  const found: object[] = [];
  for (let after = '', hasNextPage = true; hasNextPage;) {
    const { errors } = (await read(`first: 2${after}`)).data.import;
    const { endCursor } = errors.pageInfo;
    found.push(...errors.nodes.map(({ row, pointer, code }) => [row, pointer, code]));
    after = `, after: "${endCursor}"`;
    ({ hasNextPage } = errors.pageInfo);
  }
  t.deepEqual(found, [
    [2, '/email', 'INVALID'],
    [2, '/name', 'INVALID'],
    [2, '/tags', 'INVALID'],
    [3, '/email', 'INVALID'],
  ]);
  const { nodes } = (await read('first: 100')).data.import.errors;
  t.deepEqual(
    nodes.map(({ text }) => text && (JSON.parse(text) as object)),
    [rows[1], null, null, rows[2]],
  );
  const refused = await read('first: 1, after: "x"');
  t.like(refused.errors?.[0]?.extensions, { code: 'invalid', errors: [{ pointer: '/after' }] });
});

interface ErrorsAnswer {
  data: {
    import: {
      errors: {
        pageInfo: { endCursor: string; hasNextPage: boolean };
        nodes: { row: number; pointer: string; code: string; text: string | null }[];
      };
    };
  };
  errors?: { extensions: object }[];
}

test.serial('the file of errors is imported when its cells are corrected', async (t) => {
  const client = await newRoster('Corrected');
  const map = { 'E-mail': 'email', 'CRM ID': '' };
  const importFile = (file: string) => client.imports.create(file, { format: 'csv', map });
  const file =
    'E-mail;name;CRM ID;city\nada@example.com;Ada;1;\nbob@;=Bob;2;"Köln; Rhein"\n"carl;Carl;3;\n';
  const first = await importFile(file);
  t.like(first, { created: 1, failed: 2 });
  const errors = await client.imports.listErrors(first.id).text();
  // Not corrected, the rows are refused again.
  t.like(await importFile(errors), { created: 0, updated: 0, failed: 2 });
  const corrected = errors
    .replace('bob@;', 'bob@example.com;')
    .replace('\r\n;;;;', '\r\ncarl@example.com;Carl;3;;');
  t.like(await importFile(corrected), { created: 2, failed: 0 });
  const { contacts } = await client.contacts.list();
  t.like(contacts[1], {
    ...{ email: 'bob@example.com', name: '=Bob', properties: { city: 'Köln; Rhein' } },
  });
  t.like(contacts[2], { email: 'carl@example.com', name: 'Carl' });
});

test.serial(
  'the end of an import with events=summary is delivered, listed and shown over GraphQL, and no contact of it',
  async (t) => {
    const workspace = await roster.newWorkspace('Summary');
    const access = { ...roster, apiKey: workspace.apiKey };
    const client = openRoster(access);
    const { received } = await subscribed(t, client, { payload: 'full' });
    const file = 'email\na@example.com\nb@example.com\n';
    const imported = await client.imports.create(file, { format: 'csv', events: 'summary' });
    const { id } = imported;
    await eventually(() => received.length > 0, { timeoutMs: 60_000 });
    // A later change is announced: what precedes it has been delivered then.
    await client.contacts.create({ email: 'later@example.com' });
    await eventually(() => received.length > 1, { timeoutMs: 60_000 });
    t.deepEqual(
      received.map(({ body: { event } }) => event),
      ['IMPORT_ENDED', 'CONTACT_CREATED'],
    );
    t.deepEqual(received[0]!.body.data as object, { import: imported });
    t.like(imported, { events: 'summary', created: 2 });
    const { events } = await client.eventLog.list({ kinds: ['IMPORT_ENDED'] });
    t.deepEqual(
      events.map(({ data }) => data),
      [{ import: imported }],
    );
    const query = `{
      eventLog(first: 1) { nodes { kind ... on ImportEndedEvent { import { id status events created endedAt } } } }
      imports(first: 1) { nodes { id status events created endedAt } }
    }`;
    const answer = await new Client(access).post<{ data: Record<string, { nodes: object[] }> }>(
      '/graphql',
      { query },
    );
    const shown = { id, status: 'COMPLETED', events: 'SUMMARY', created: 2 };
    t.like(answer.body.data['eventLog']!.nodes, [{ kind: 'IMPORT_ENDED', import: shown }]);
    t.like(answer.body.data['imports']!.nodes, [shown]);
  },
);

test.serial('an upload whose gateway is killed imports nothing', async (t) => {
  const client = await newRoster('Killed');
  const [pid] = processesOf(roster.home, 'gateway');
  const body = async function* () {
    yield* csvFile();
    // The kernel has taken the file, except for its end.
    process.kill(pid!, 'SIGKILL');
  };
  await t.throwsAsync(client.imports.create(body(), { format: 'csv' }), { code: 'unreachable' });
  const page = await eventually(() => client.contacts.list().catch(() => undefined));
  t.deepEqual(page.contacts, []);
});
