import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { uuidOf } from '@roster/contracts';
import { startPostgres } from '@roster/embedded';
import { eventually, sampleContent, temporaryDirectory } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { Client } from '../client.js';
import { createResources, namedIn, shown, type Shown } from '../owned-resources.js';
import { startReceiver } from '../receiver.js';
import { patience, startRoster } from '../running-roster.js';
import {
  recordedStatements,
  recordingSettings,
  type RecordedStatement,
} from './recorded-statements.js';

const services = ['contacts', 'users', 'webhooks', 'dispatcher'];

/** Statements that name no workspace, because they concern all of them. A new one needs a reason like these. */
const ofAllWorkspaces: Record<string, RegExp> = {
  'the checkpoint of an outbox: one row of each service': /\.outbox_checkpoint\b/,
  'events to publish, to compare with the stream, and to purge': /\.outbox\b.*\bstream_seq\b/s,
  retention:
    /^\s*delete from \w+\.\w+ where (ctid = any \(array\(\s*select ctid from \w+\.\w+\s+where )?(announced_at|created_at|day|hour|expires_at|free_at|reported_at|least\(revoked_at, expires_at\)) < now\(\)/,
  'uploads that receive nothing, and what ended imports and actions leave behind, each joined by its workspace':
    /^\s*(update contacts\.imports\s+set status = 'failed'|with (ended|expired) as \(\s*select workspace_id, id from contacts\.(imports|actions)\b)/,
  'the workspace of an API key, by the hash of its secret': /from users\.api_keys where sha256 = /,
  'the workspace of a session or of its link, by the hash of its secret':
    /from users\.(sessions s|session_links)\b.*\bsha256 = \$1/s,
  'the workspace of a link to an export, by the hash of its secret':
    /delete from users\.export_links\b.*\bsha256 = \$1/s,
  'the API keys of an identity, which belongs to no workspace':
    /from users\.api_keys\s+where \(\(sign_in_subject = \$2/,
  'workspaces whose suspension the webhooks service may not know':
    /^select id from users\.workspaces where is_held <> /,
  'workspaces that are being deleted':
    /^\s*select id, deletion from users\.workspaces where status = 'deleting'/,
  'the usage of a day, stored for all workspaces at once':
    /^\s*insert into (contacts|dispatcher)\.usage_days as d .*\bgroup by workspace_id\b/s,
  'the API keys that expire': /from users\.api_keys k, lateral\b.*\bset announced_days\b/s,
  'the encryption keys in use': /^\s*select distinct substring\(ciphertext/,
  'secrets to encrypt again': /split_part\((token_ciphertext|answer), '\.', 1\) <> \$1/,
  'daily partitions': /^select dispatcher\.(attach_day|drop_partition)\(/,
  'due deliveries and replays of all workspaces in turn':
    /^\s*with recursive\s+(due as materialized|queued as|workspaces as)/,
};

test('every statement of the services, run with the workspace of another tenant, reads and changes nothing of the first, and each has a label of its own', async (t) => {
  t.timeout(240_000);
  const lines: string[] = [];
  const server = await startPostgres({
    dataDir: await temporaryDirectory(t),
    durable: false,
    settings: recordingSettings,
    log: (line) => lines.push(line),
  });
  t.teardown(() => server.stop());
  const [first, second] = await useEveryOperation(t, server.url);
  const recorded = recordedStatements(lines).filter(({ role }) => role.startsWith('roster_'));

  const unknown = new Set<string>();
  let repeated = 0;
  for (const service of services) {
    const client = new pg.Client({ connectionString: urlOf(server.url, service) });
    await client.connect();
    t.teardown(() => client.end());
    const own = recorded.filter(
      ({ role, text }) =>
        role === `roster_${service}` && new RegExp(`\\b${service}\\.\\w`).test(text),
    );
    for (const [text, runs] of Map.groupBy(own, (statement) => statement.text)) {
      const naming = runs.filter(({ values }) => mentions(values, first));
      const listed = Object.values(ofAllWorkspaces).some((shape) => shape.test(text));
      if (naming.length === 0 && !listed) unknown.add(`${service}: ${text}`);
      for (const run of naming.slice(0, runsMax)) {
        repeated += 1;
        const found = await repeatAs(client, service, run, first, second);
        t.deepEqual(found, [], `${service}: ${text}`);
      }
    }
  }
  t.deepEqual([...unknown], []);
  t.deepEqual(sharedLabels(recorded), []);
  t.true(repeated > 40, `${repeated} statements`);
});

/** Labels of several statements: their metrics could not be told apart. */
function sharedLabels(recorded: readonly RecordedStatement[]): string[] {
  const labelled = recorded.filter(({ label }) => label !== undefined);
  return [...Map.groupBy(labelled, ({ role, label }) => `${role} ${label}`)]
    .filter(([, runs]) => new Set(runs.map(({ text }) => text)).size > 1)
    .map(([label]) => label);
}

const runsMax = 3;
const mentions = (values: RecordedStatement['values'], workspace: string): boolean =>
  values.some((value) => value?.includes(workspace));

/** Calls every operation in a workspace, and returns its ID and that of another one. */
async function useEveryOperation(t: ExecutionContext, url: string): Promise<[string, string]> {
  const users = ['migrate', ...services];
  const env = Object.fromEntries(
    users.map((user) => [
      `${user.toUpperCase()}_DATABASE_URL`,
      urlOf(url, user === 'migrate' ? 'migrator' : user),
    ]),
  );
  const cli = fileURLToPath(new URL('../../../../deploy/local/dist/roster.js', import.meta.url));
  await promisify(execFile)(process.execPath, [cli, 'postgres', 'roles', '--apply'], {
    env: { ...process.env, ...env, DATABASE_URL: url },
  });
  const roster = await startRoster({ t, env: { ...patience, ...env } });
  t.timeout(240_000);
  t.teardown(() => roster.discard());
  const receiver = await startReceiver();
  t.teardown(() => receiver.stop());
  const owner = new Client(roster);
  const other = await roster.newWorkspace('Second');
  // Other operations need what these remove.
  const removes = ({ name }: Shown) => /delete|revoke/.test(name);
  for (const operations of [shown.filter(removes), shown.filter((one) => !removes(one))])
    await callEach(t, owner, operations, await createResources(owner, receiver.url));
  await eventually(() => receiver.received.length > 0);
  await roster.stop();
  return [uuidOf('workspace', roster.workspaceId), uuidOf('workspace', other.workspaceId)];
}

async function callEach(
  t: ExecutionContext,
  owner: Client,
  operations: readonly Shown[],
  ids: Record<string, string>,
): Promise<void> {
  for (const operation of operations) {
    const { http } = operation;
    const path = http.path.replace(/\{\w+\}/, ids[namedIn(operation) ?? '']!);
    const key = { 'idempotency-key': randomBytes(8).toString('hex') };
    const { type, body } = sampleContent(operation);
    const { status } =
      http.method === 'GET'
        ? await owner.send('GET', path)
        : await owner.send(http.method, path, body, { ...key, 'content-type': type });
    t.true(status < 500, `${operation.name}: ${status}`);
  }
}

/** What a statement reads or changes of the first workspace when it is run for the second one. */
async function repeatAs(
  client: pg.Client,
  service: string,
  { text, values }: RecordedStatement,
  first: string,
  second: string,
): Promise<string[]> {
  const given = values.map((value) => value?.replaceAll(first, second) ?? null);
  await client.query('begin');
  try {
    const before = await rowsOf(client, service, first);
    await client.query('savepoint before');
    const { rows } = await client
      .query<object>(text, given)
      .catch(async (error: pg.DatabaseError) => {
        // A constraint may reject the row of a workspace that lacks what it refers to.
        if (!error.code?.startsWith('23')) throw error;
        await client.query('rollback to savepoint before');
        return { rows: [] };
      });
    const after = await rowsOf(client, service, first);
    const foreign = valuesIn(before.join('\n'));
    const known = valuesIn(given.join('\n'));
    const leaked = [...valuesIn(JSON.stringify(rows))].filter(
      (value) => foreign.has(value) && !known.has(value),
    );
    const changed = before.filter((row, n) => row !== after[n]);
    return [
      ...leaked.map((value) => `returns ${value}`),
      ...changed.map((row) => `changes ${row}`),
    ];
  } finally {
    await client.query('rollback');
  }
}

/** Every row of a workspace, in a fixed order. */
async function rowsOf(client: pg.Client, service: string, workspace: string): Promise<string[]> {
  const { rows: tables } = await client.query<{ name: string; key: string }>(
    `select c.oid::regclass::text as name, a.attname as key from pg_class c join pg_attribute a on attrelid = c.oid
     where relnamespace = $1::regnamespace and relkind in ('r', 'p') and not relispartition
       and (attname = 'workspace_id' or (relname = 'workspaces' and attname = 'id')) order by 1`,
    [service],
  );
  const all: string[] = [];
  for (const { name, key } of tables) {
    const { rows } = await client.query<{ row: string }>(
      `select '${name} ' || t::text as row from ${name} t where ${key} = $1 order by 1`,
      [workspace],
    );
    all.push(...rows.map(({ row }) => row));
  }
  return all;
}

/** IDs, email addresses and URLs. */
const valuesIn = (text: string): Set<string> =>
  new Set(
    text.match(/[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w.+-]+@[\w.-]+|https?:[\w:/.-]+/g) ??
      [],
  );

function urlOf(url: string, role: string): string {
  return Object.assign(new URL(url), { username: `roster_${role}`, password: `secret-${role}` })
    .href;
}
