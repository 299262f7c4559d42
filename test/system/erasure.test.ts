import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Roster } from '@roster/client';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { root } from '../cluster/release.js';
import { Client, openRoster } from './client.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const soon = { timeoutMs: 60_000 };
/** What nobody else has. None begins with another. */
const secrets = {
  email: 'zq7secret-ada@example.com',
  former: 'zq7former-ada@example.com',
  name: 'Zq7nameofada',
  value: 'zq7valueofada',
  externalId: 'zq7externalofada',
};
const planted = Object.values(secrets);
const schemas = ['contacts', 'users', 'webhooks', 'dispatcher'];

test('nothing of an erased contact remains in the files of PostgreSQL and JetStream, in logs and behind the API; after the restore of an older backup, the ledger erases it again', async (t) => {
  const roster = await startRoster({ t, env: { ...patience, LOG_LEVEL: 'debug' } });
  t.teardown(() => roster.discard());
  const client = openRoster(roster);
  const echo = await startEcho(t);
  const contactId = await plant(t, client, new Client(roster), echo);
  const database = new pg.Client({ connectionString: roster.databaseUrl });
  await database.connect();
  t.teardown(() => database.end());
  t.true((await foundInTables(database)).length > 5, 'the search finds what is planted');
  t.true((await foundInFiles(join(roster.home, 'nats'))).length > 0);
  const folder = await temporaryDirectory(t);
  const backup = await backUp(database, folder);

  await eraseAndWait(client, contactId);
  t.deepEqual(await foundInTables(database), []);
  await rewrite(database);
  t.deepEqual(await foundInFiles(join(roster.home, 'postgres', 'base')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'postgres', 'global')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'nats')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'logs')), []);
  t.deepEqual(await foundBehind(client, roster), []);
  t.is((await client.contacts.list({ limit: 10 })).pagination.total, 3, 'others remain');
  const { suppressions } = await client.suppressions.list({ limit: 10, email: secrets.email });
  t.is(suppressions.length, 1);

  const ledger = join(folder, 'ledger');
  writeFileSync(ledger, await commandLine(roster, 'erase', 'ledger'));
  t.deepEqual(
    planted.filter((secret) => readFileSync(ledger, 'utf8').includes(secret)),
    [],
  );
  await restore(database, backup);
  t.true((await foundBehind(client, roster)).length > 0, 'the backup has the contact');
  t.deepEqual(JSON.parse(await commandLine(roster, 'erase', 'replay', '--file', ledger)), {
    erasures: 1,
  });
  await eventually(async () => (await foundBehind(client, roster)).length === 0, soon);
  await eventually(async () => (await foundInTables(database)).length === 0, soon);
});

/** A receiver that answers with what it received: the first requests with 500, and others with 200. */
async function startEcho(t: ExecutionContext) {
  const received: string[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      received.push(text);
      const isRefused = request.url === '/down' || received.length < 3;
      response
        .writeHead(
          isRefused ? 500 : 200,
          text.includes(secrets.email) ? { 'x-echo': secrets.email } : {},
        )
        .end(text);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received };
}

/** Uses every feature that stores something of a contact. Returns its ID. */
async function plant(
  t: ExecutionContext,
  client: Roster,
  rest: Client,
  echo: { url: string; received: string[] },
): Promise<string> {
  const full = { events: ['*' as const], payload: 'full' as const };
  const webhook = await client.webhooks.create({ url: `${echo.url}/up`, ...full });
  await client.webhooks.create({ url: `${echo.url}/down`, ...full });
  const key = (name: string) => ({ 'idempotency-key': name });
  const others = ['first@example.com', 'last@example.com', 'kept@example.com'];
  const { former, email, name, value, externalId } = secrets;
  const properties = { note: value };
  const own = { email: former, name, externalId, properties };
  const { body } = await rest.post<{ results: { id: string }[] }>(
    '/v1/contacts/batch',
    {
      operations: [
        { action: 'create', email: others[0] },
        { action: 'create', ...own },
        { action: 'create', email: others[1] },
      ],
    },
    key('batch'),
  );
  const { id } = body.results[1]!;
  await rest.send('PUT', '/v1/contacts', { email: former, tags: [value] }, key('upsert'));
  await rest.send('PUT', `/v1/contacts/${id}`, { email, name: `${name} x` }, key('update'));
  await rest.send('PUT', `/v1/contacts/${id}`, { name }, key('again'));
  const rows = [
    'email,name,note',
    `${email},${name},${value} ${value}`,
    `${name} no address,${name},${value}`,
    `kept@example.com,,`,
    `kept2@example.com,${'n'.repeat(300)}${name},`,
  ].join('\n');
  const upload = await rest.post<{ import: { id: string } }>('/v1/imports', rows, {
    'content-type': 'text/csv',
  });
  const ended = async (path: string, noun: string) =>
    eventually(async () => {
      const { body: found } = await rest.get<Record<string, { endedAt: string | null }>>(path);
      return found[noun]!.endedAt !== null;
    }, soon);
  await ended(`/v1/imports/${upload.body.import.id}`, 'import');
  const action = await rest.post<{ action: { id: string } }>(
    '/v1/contacts/actions',
    { filter: { email, q: name }, change: { addTags: ['seen'] } },
    key('action'),
  );
  t.is(action.status, 202, JSON.stringify(action.body));
  await ended(`/v1/contacts/actions/${action.body.action.id}`, 'action');
  await client.contacts.unsubscribe(id);
  await rest.post('/v1/suppressions', { email }, key('suppression'));
  await rest.open('/v1/contacts/export').then((response) => response.text());
  await eventually(() => echo.received.filter((one) => one.includes(id)).length > 10, soon);
  const listed = await eventually(async () => {
    const { deliveries } = await client.deliveries.list(webhook.id, { status: 'delivered' });
    return deliveries.find(({ subject }) => subject?.contactId === id);
  }, soon);
  await rest.post(`/v1/deliveries/${listed.id}/retry`, {}, key('retry'));
  await rest.post(`/v1/webhooks/${webhook.id}/replays`, { since: new Date(0).toISOString() });
  return id;
}

async function eraseAndWait({ contacts, erasures }: Roster, contactId: string): Promise<void> {
  const { id } = await contacts.erase(contactId);
  await eventually(async () => (await erasures.get(id)).status === 'completed', {
    ...soon,
    describe: 'the end of the erasure',
  });
}

/** The tables whose rows contain something of the contact. Independent of how PostgreSQL compresses values. */
async function foundInTables(database: pg.Client): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = any ($1)`,
    [schemas],
  );
  const found: string[] = [];
  for (const { name } of rows) {
    const { rows: hits } = await database.query<{ row: string }>(
      `select left(t::text, 400) as row from ${name} t
       where exists (select from unnest($1::text[]) s where position(lower(s) in lower(t::text)) > 0) limit 1`,
      [planted],
    );
    if (hits.length > 0) found.push(`${name}: ${hits[0]!.row}`);
  }
  return found;
}

/** Files that contain something of the contact: as text, or as bytes in base64 or hexadecimal. */
async function foundInFiles(folder: string): Promise<string[]> {
  const patterns = planted.flatMap((secret) => [
    secret,
    Buffer.from(secret).toString('hex'),
    ...[0, 1, 2].map((shift) =>
      // The characters that do not depend on what stands around it.
      Buffer.from('\0'.repeat(shift) + secret)
        .toString('base64')
        .slice(shift ? 4 : 0, -4),
    ),
  ]);
  const args = ['-rliaF', ...patterns.flatMap((pattern) => ['-e', pattern]), folder];
  // Exits with 1 if no file matches.
  const { stdout } = await promisify(execFile)('grep', args).catch(
    (error: { code?: number; stdout: string }) => {
      if (error.code !== 1 && error.code !== 2) throw error;
      return error;
    },
  );
  return stdout.split('\n').filter(Boolean);
}

/** Rewrites tables, indexes and statistics without deleted rows, and frees the former files. */
async function rewrite(database: pg.Client): Promise<void> {
  const { rows } = await database.query<{ names: string }>(
    `select string_agg(format('%I.%I', schemaname, tablename), ', ') as names
     from pg_tables where schemaname = any ($1)`,
    [schemas],
  );
  await database.query(`vacuum (full, analyze) ${rows[0]!.names}`);
  await database.query('vacuum (full) pg_statistic');
  await database.query('checkpoint');
}

const paths = (ids: Ids) => [
  '/v1/contacts?limit=100',
  '/v1/contacts/export',
  '/v1/events?limit=100',
  '/v1/imports',
  '/v1/contacts/actions',
  '/v1/audit-log?limit=100',
  '/v1/deliveries?limit=100',
  '/v1/suppressions',
  ...ids.deliveries.map((id) => `/v1/deliveries/${id}`),
  ...ids.imports.map((id) => `/v1/imports/${id}/errors.csv`),
];

interface Ids {
  deliveries: string[];
  imports: string[];
}

/** What the API returns of the contact. */
async function foundBehind(client: Roster, roster: RunningRoster): Promise<string[]> {
  const rest = new Client(roster);
  const { deliveries } = await client.deliveries.listAll({ limit: 100 });
  const { imports } = await client.imports.list({ limit: 10 });
  const found: string[] = [];
  const ids = { deliveries: deliveries.map(({ id }) => id), imports: imports.map(({ id }) => id) };
  for (const path of paths(ids)) {
    const text = await (await rest.open(path)).text();
    const hit = planted.find((secret) => text.toLowerCase().includes(secret.toLowerCase()));
    if (hit !== undefined) found.push(`${path} contains ${hit}`);
  }
  return found;
}

/** Copies all rows into files, as a dump of the data does. */
async function backUp(database: pg.Client, folder: string): Promise<Map<string, string>> {
  // Partitions are copied by their parents.
  const { rows } = await database.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = any ($1) and c.relkind in ('r', 'p') and not c.relispartition and c.relname !~ 'migrations$'`,
    [schemas],
  );
  // The server writes and reads the files, as a user of its own.
  await chmod(folder, 0o777);
  const files = new Map(rows.map(({ name }) => [name, join(folder, name)] as const));
  for (const [name, file] of files)
    await database.query(`copy (select * from ${name}) to '${file}'`);
  return files;
}

async function restore(database: pg.Client, files: ReadonlyMap<string, string>): Promise<void> {
  await database.query('begin');
  await database.query('set local session_replication_role = replica');
  await database.query(`truncate ${[...files.keys()].join(', ')}`);
  for (const [name, file] of files) await database.query(`copy ${name} from '${file}'`);
  await database.query('commit');
}

async function commandLine({ home }: RunningRoster, ...args: string[]): Promise<string> {
  const script = join(root, 'deploy/local/dist/roster.js');
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
    env: { ...process.env, ROSTER_HOME: home },
  });
  return stdout;
}
