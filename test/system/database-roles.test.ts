import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@roster/embedded';
import { eventually } from '@roster/testing';
import test from 'ava';
import pg from 'pg';
import { Client, type Contact } from './client.js';
import { partNames, processesOf } from './processes.js';
import { startReceiver } from './receiver.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const services = ['contacts', 'users', 'webhooks', 'dispatcher'];

test('each process connects to PostgreSQL with its own role, the gateway with none, and files are private', async (t) => {
  const roster = await startRoster({ t, env: patience });
  t.teardown(() => roster.discard());
  t.is((await new Client(roster).get('/v1/contacts')).status, 200);

  const { rows } = await query<{ name: string; role: string }>(
    roster,
    `select distinct application_name as name, usename as role from pg_stat_activity
     where application_name like 'roster-%' order by 1`,
  );
  t.deepEqual(
    rows,
    services.toSorted().map((name) => ({ name: `roster-${name}`, role: `roster_${name}` })),
  );

  const passwords = JSON.parse(
    await readFile(join(roster.home, 'database-passwords.json'), 'utf8'),
  ) as Record<string, string>;
  const superuser = (await readFile(join(roster.home, 'postgres', 'password'), 'utf8')).trim();
  for (const part of partNames) {
    if (part === 'postgres') continue;
    const environment = readFileSync(`/proc/${processesOf(roster.home, part)[0]!}/environ`, 'utf8');
    const known = Object.entries({ ...passwords, superuser })
      .filter(([, password]) => environment.includes(password))
      .map(([user]) => user);
    t.deepEqual(known, services.includes(part) ? [part] : [], part);
  }
  t.deepEqual(await openPaths(roster.home), []);
});

test('data that one superuser owned is kept when the roles are introduced', async (t) => {
  t.timeout(180_000);
  const home = await mkdtemp(join(tmpdir(), 'roster-system-'));
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());

  // As the former release: every process is the superuser.
  const postgres = await startPostgres({ dataDir: join(home, 'postgres') });
  t.teardown(() => postgres.stop());
  const former = await startRoster({
    ...{ t, home, isOpen: true },
    env: { ...patience, DATABASE_URL: postgres.url },
  });
  t.teardown(() => former.discard());
  const client = new Client(former);
  const { status } = await client.post('/v1/webhooks', {
    url: receiver.url,
    events: ['CONTACT_CREATED'],
  });
  t.is(status, 201);
  const created = await client.post<{ contact: Contact }>('/v1/contacts', {
    email: 'ada@example.com',
  });
  await eventually(() => receiver.received.length === 1);
  await former.stop();
  await postgres.stop();

  const next = await startRoster({ t, home, env: patience });
  t.teardown(() => next.stop());
  t.is(next.apiKey, former.apiKey);
  const again = new Client(next);
  const { contact } = created.body;
  t.deepEqual((await again.get(`/v1/contacts/${contact.id}`)).body, { contact });
  t.is((await again.post('/v1/contacts', { email: 'grace@example.com' })).status, 201);
  await eventually(() => receiver.received.length === 2);
  const { rows } = await query(
    next,
    `select distinct relowner::regrole::text as owner from pg_class
     where relnamespace::regnamespace::text = any($1) and relkind in ('r', 'p', 'S')`,
    [services],
  );
  t.deepEqual(rows, [{ owner: 'roster_migrator' }]);
});

async function query<Row extends object>(
  { databaseUrl }: RunningRoster,
  text: string,
  values: unknown[] = [],
): Promise<pg.QueryResult<Row>> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    return await client.query<Row>(text, values);
  } finally {
    await client.end();
  }
}

/** What others could read, if they could enter the directory. Not below the directories of the servers, which are closed. */
async function openPaths(directory: string): Promise<string[]> {
  const open = async (path: string) => (((await stat(path)).mode & 0o077) === 0 ? [] : [path]);
  const inside = (await readdir(directory, { withFileTypes: true })).map(async (entry) => {
    const path = join(directory, entry.name);
    const isServers = ['cluster', 'nats'].includes(entry.name);
    return entry.isDirectory() && !isServers ? openPaths(path) : open(path);
  });
  return [...(await open(directory)), ...(await Promise.all(inside)).flat()];
}
