import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Roster } from '@roster/client';
import { eventually, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { root } from '../cluster/release.js';
import { Client, openRoster } from './client.js';
import {
  eraseAndWait,
  foundBehind,
  plantContact,
  planted,
  plantedEmail,
  soon,
  startEcho,
} from './planted-contact.js';
import { patience, startRoster, type RunningRoster } from './running-roster.js';

const schemas = ['contacts', 'users', 'webhooks', 'dispatcher'];

test('nothing of an erased contact remains in the files of PostgreSQL and JetStream, in logs and behind the API; after the restore of an older backup, the ledger erases it again', async (t) => {
  const { roster, client, database, contactId } = await startPlanted(t);
  const folder = await temporaryDirectory(t);
  const backup = await backUp(database, folder);

  await eraseAndWait(client, contactId);
  await checkErased(t, { roster, client, database });

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

test('nothing remains either of a contact that an action had deleted, and that is erased by its ID and its address', async (t) => {
  const { roster, client, database, contactId } = await startPlanted(t);
  const { id } = await client.contactActions.create({
    filter: { email: plantedEmail },
    change: { delete: true },
  });
  await eventually(async () => (await client.contactActions.get(id)).endedAt !== null, soon);
  await t.throwsAsync(client.contacts.erase(contactId), { message: /deleted/ });
  t.true((await foundBehind(client, roster)).length > 0, 'the deletion leaves its events');
  await eraseAndWait(client, contactId, { email: plantedEmail });
  await checkErased(t, { roster, client, database });
});

interface Planted {
  roster: RunningRoster;
  client: Roster;
  database: pg.Client;
}

/** A system in which every feature was used with a contact. */
async function startPlanted(t: ExecutionContext): Promise<Planted & { contactId: string }> {
  const roster = await startRoster({ t, env: { ...patience, LOG_LEVEL: 'debug' } });
  t.teardown(() => roster.discard());
  const client = openRoster(roster);
  const echo = await startEcho(t);
  const contactId = await plantContact(t, client, new Client(roster), echo);
  const database = new pg.Client({ connectionString: roster.databaseUrl });
  await database.connect();
  t.teardown(() => database.end());
  t.true((await foundInTables(database)).length > 5, 'the search finds what is planted');
  t.true((await foundInFiles(join(roster.home, 'nats'))).length > 0);
  return { roster, client, database, contactId };
}

async function checkErased(
  t: ExecutionContext,
  { roster, client, database }: Planted,
): Promise<void> {
  t.deepEqual(await foundInTables(database), []);
  await rewrite(database);
  t.deepEqual(await foundInFiles(join(roster.home, 'postgres', 'base')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'postgres', 'global')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'nats')), []);
  t.deepEqual(await foundInFiles(join(roster.home, 'logs')), []);
  t.deepEqual(await foundBehind(client, roster), []);
  t.is((await client.contacts.list({ limit: 10 })).pagination.total, 3, 'others remain');
  const { suppressions } = await client.suppressions.list({ limit: 10, email: plantedEmail });
  t.is(suppressions.length, 1);
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
