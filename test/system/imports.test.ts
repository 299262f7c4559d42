import { eventually } from '@roster/testing';
import test from 'ava';
import { Client } from './client.js';
import { processesOf } from './processes.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';
import { subscribed } from './subscribed-receiver.js';

interface Import {
  id: string;
  status: string;
  total: number;
  created: number;
  updated: number;
  skipped: number;
  failed: number;
}

const rows = 50_000;
let roster: RunningRoster;
test.before(async (t) => void (roster = await startRoster({ t, env: patience })));
test.after.always(() => roster?.discard());

const csv = { 'content-type': 'text/csv' };
const ended = new Set(['completed', 'cancelled', 'failed']);

async function* csvFile(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('email,name,tags,half\n');
  for (let from = 0; from < rows; from += 1000) {
    const lines = Array.from({ length: 1000 }, (_, n) => lineOf(from + n));
    yield Buffer.from(lines.join(''));
  }
}

const lineOf = (n: number): string => `c${n}@example.com,Contact ${n},a;b,${n % 2}\n`;

async function upload(
  body: string | AsyncIterable<Uint8Array>,
  query = '',
  { apiKey }: { apiKey: string } = roster,
): Promise<Import> {
  const response = await fetch(`${roster.baseUrl}/v1/imports${query}`, {
    method: 'POST',
    headers: { ...csv, authorization: `Bearer ${apiKey}` },
    body,
    duplex: 'half',
  });
  if (response.status !== 202) throw new Error(await response.text());
  return ((await response.json()) as { import: Import }).import;
}

const end = (id: string, client: Client): Promise<Import> =>
  eventually(
    async () => {
      const { body } = await client.get<{ import?: Import }>(`/v1/imports/${id}`);
      return body.import && ended.has(body.import.status) ? body.import : undefined;
    },
    { timeoutMs: 300_000 },
  );

test.serial(
  'an import of 50,000 rows is completed although the service is killed, and every contact exists once',
  async (t) => {
    const client = new Client(roster);
    const { id, total } = await upload(csvFile());
    t.is(total, rows);
    await eventually(async () => {
      const { body } = await client.get<{ import: Import }>(`/v1/imports/${id}`);
      return body.import.created > 0;
    });
    const [pid] = processesOf(roster.home, 'contacts');
    process.kill(pid!, 'SIGKILL');
    t.like(await end(id, client), { status: 'completed', created: rows, updated: 0, failed: 0 });
    const { body } = await client.get<{ pagination: { total: number } }>('/v1/contacts?limit=1');
    t.is(body.pagination.total, rows);
  },
);

test.serial('an exported file can be imported in another workspace', async (t) => {
  const [from, to] = [await roster.newWorkspace('From'), await roster.newWorkspace('To')];
  const contact = {
    email: 'ada@example.com',
    name: '=1+1',
    tags: ['a', 'b'],
    properties: { note: 'x, "y"\n', email: 'other' },
  };
  const clients = [from, to].map(({ apiKey }) => new Client({ ...roster, apiKey }));
  await clients[0]!.post('/v1/contacts', contact);
  const { body: file } = await clients[0]!.get<string>('/v1/exports/contacts');
  const { id } = await upload(file, '', to);
  t.like(await end(id, clients[1]!), { status: 'completed', created: 1, failed: 0 });
  const { body } = await clients[1]!.get<{ contacts: object[] }>('/v1/contacts');
  t.like(body.contacts[0], contact);
});

test.serial('a dry run changes nothing, and refused rows are in the file of errors', async (t) => {
  const workspace = await roster.newWorkspace('Dry');
  const client = new Client({ ...roster, apiKey: workspace.apiKey });
  const { id } = await upload(
    'email,name\na@example.com,A\nb,B\nc@example.com\n',
    '?dryRun=true',
    workspace,
  );
  t.like(await end(id, client), { status: 'completed', created: 1, failed: 2 });
  const { body: contacts } = await client.get<{ contacts: object[] }>('/v1/contacts');
  t.deepEqual(contacts.contacts, []);
  const { body: errors } = await client.get<string>(`/v1/imports/${id}/errors`);
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

test.serial('the file of errors is imported when its cells are corrected', async (t) => {
  const workspace = await roster.newWorkspace('Corrected');
  const client = new Client({ ...roster, apiKey: workspace.apiKey });
  const query = '?map=E-mail:email&map=CRM%20ID:';
  const file =
    'E-mail;name;CRM ID;city\nada@example.com;Ada;1;\nbob@;=Bob;2;"Köln; Rhein"\n"carl;Carl;3;\n';
  const first = await end((await upload(file, query, workspace)).id, client);
  t.like(first, { created: 1, failed: 2 });
  const { body: errors } = await client.get<string>(`/v1/imports/${first.id}/errors`);
  // Not corrected, the rows are refused again.
  const again = await end((await upload(errors, query, workspace)).id, client);
  t.like(again, { created: 0, updated: 0, failed: 2 });
  const corrected = errors
    .replace('bob@;', 'bob@example.com;')
    .replace('\r\n;;;;', '\r\ncarl@example.com;Carl;3;;');
  const last = await end((await upload(corrected, query, workspace)).id, client);
  t.like(last, { created: 2, failed: 0 });
  const { body } = await client.get<{ contacts: object[] }>('/v1/contacts');
  t.like(body.contacts[1], {
    ...{ email: 'bob@example.com', name: '=Bob', properties: { city: 'Köln; Rhein' } },
  });
  t.like(body.contacts[2], { email: 'carl@example.com', name: 'Carl' });
});

test.serial(
  'the end of an import with events=summary is delivered, listed and shown over GraphQL, and no contact of it',
  async (t) => {
    const workspace = await roster.newWorkspace('Summary');
    const client = new Client({ ...roster, apiKey: workspace.apiKey });
    const { received } = await subscribed(t, client, { payload: 'full' });
    const body = 'email\na@example.com\nb@example.com\n';
    const { id } = await upload(body, '?events=summary', workspace);
    const imported = await end(id, client);
    await eventually(() => received.length > 0, { timeoutMs: 60_000 });
    // A later change is announced: what precedes it has been delivered then.
    await client.post('/v1/contacts', { email: 'later@example.com' });
    await eventually(() => received.length > 1, { timeoutMs: 60_000 });
    t.deepEqual(
      received.map(({ body: { event } }) => event),
      ['IMPORT_ENDED', 'CONTACT_CREATED'],
    );
    t.deepEqual(received[0]!.body.data as object, { import: imported });
    t.like(imported, { events: 'summary', created: 2 });
    const { body: log } = await client.get<{ events: { kind: string; data: object }[] }>(
      '/v1/events?kinds=IMPORT_ENDED',
    );
    t.deepEqual(
      log.events.map(({ data }) => data),
      [{ import: imported }],
    );
    const query = `{
      eventLog(first: 1) { nodes { kind ... on ImportEndedEvent { import { id status events created endedAt } } } }
      imports(first: 1) { nodes { id status events created endedAt } }
    }`;
    const answer = await client.post<{ data: Record<string, { nodes: object[] }> }>('/graphql', {
      query,
    });
    const shown = { id, status: 'COMPLETED', events: 'SUMMARY', created: 2 };
    t.like(answer.body.data['eventLog']!.nodes, [{ kind: 'IMPORT_ENDED', import: shown }]);
    t.like(answer.body.data['imports']!.nodes, [shown]);
  },
);

test.serial('an upload whose gateway is killed imports nothing', async (t) => {
  const workspace = await roster.newWorkspace('Killed');
  const client = new Client({ ...roster, apiKey: workspace.apiKey });
  const [pid] = processesOf(roster.home, 'gateway');
  const body = async function* () {
    yield* csvFile();
    // The kernel has taken the file, except for its end.
    process.kill(pid!, 'SIGKILL');
  };
  await t.throwsAsync(upload(body(), '', workspace));
  await eventually(
    async () => (await client.get('/v1/contacts').catch(() => undefined))?.status === 200,
  );
  const { body: contacts } = await client.get<{ contacts: object[] }>('/v1/contacts');
  t.deepEqual(contacts.contacts, []);
});
