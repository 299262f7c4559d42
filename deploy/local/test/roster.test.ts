import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { eventually, throwawayDatabase, throwawayNats } from '@roster/testing';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';

import { migrations } from '../migrations.js';

test('says what it takes when the command line is not right, and exits with 2', async (t) => {
  for (const [args, problem] of [
    [[], 'Missing command.'],
    [['workspace', 'destroy'], 'Unknown command "workspace destroy".'],
    [['key', 'revoke'], 'key revoke needs --id.'],
    [['key', 'revoke', '--id', 'key_1', '--name', 'x'], 'key revoke takes no --name.'],
    [['key', 'revoke', '--id', 'key_1', '--print'], 'key revoke takes no --print.'],
    [
      ['migrate', 'billing', '--print'],
      'migrate takes contacts, users, webhooks, dispatcher, not "billing".',
    ],
    [['migrate', '--id', 'key_1'], 'migrate takes no --id.'],
    [
      ['key', 'create', '--user', 'usr_1', '--scopes', 'admin'],
      '--scopes takes api_user, user, not "admin".',
    ],
  ] as const) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 2);
    t.is(stdout, '');
    t.true(stderr.startsWith(`${problem}\n\nUsage:\n`), stderr);
  }
});

test('shows how it is used, and exits with 0', async (t) => {
  for (const args of [['--help'], ['-h'], ['key', 'create', '--help']]) {
    const { code, stdout, stderr } = await roster(t, args);
    t.is(code, 0);
    t.true(stdout.startsWith('Usage:\n'), stdout);
    t.is(stderr, '');
  }
});

test('names the command as the reader calls it: by npm, or alone where the image sets it', async (t) => {
  const byNpm = await roster(t, ['--help']);
  t.regex(byNpm.stdout, /^Usage:\n {2}npm run --silent roster -- workspace create --name/);
  const inImage = await roster(t, ['--help'], { ROSTER_COMMAND: 'roster' });
  t.regex(inImage.stdout, /^Usage:\n {2}roster workspace create --name/);
  t.notRegex(inImage.stdout, /npm/);
});

test('says in one line that nothing runs, and exits with 1', async (t) => {
  const args = ['key', 'revoke', '--id', 'key_01m7yrn63je008jw5dtbaj4p15'];
  const { code, stdout, stderr } = await roster(t, args);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^Roster is not running on .*\. Start it with npm start, or .*\n$/);

  const elsewhere = await roster(t, args, { NATS_URL: 'nats://127.0.0.1:9' });
  t.is(elsewhere.code, 1);
  t.regex(
    elsewhere.stderr,
    /^NATS_URL: NATS at 127\.0\.0\.1:9 refuses the connection \(ECONNREFUSED\): .*\n$/,
  );
});

test('names a value that cannot be right without asking anybody, and exits with 1', async (t) => {
  const env = { NATS_URL: 'nats://127.0.0.1:9' };
  const { code, stdout, stderr } = await roster(t, ['key', 'revoke', '--id', 'usr_1'], env);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /^invalid: .*\/keyId: .*\n$/);
});

test('migrate brings the schemas of the named services up to date, or of all, and says what it applied', async (t) => {
  const { url, drop } = await throwawayDatabase();
  t.teardown(drop);
  const env = { DATABASE_URL: url };
  const names = (service: string) => migrations[service]!.map(({ name }) => name);
  const some = await roster(t, ['migrate', 'users', 'contacts'], env);
  t.is(some.stderr, '');
  t.deepEqual(JSON.parse(some.stdout), { contacts: names('contacts'), users: names('users') });
  const all = await roster(t, ['migrate'], env);
  t.deepEqual(JSON.parse(all.stdout), {
    contacts: [],
    users: [],
    webhooks: names('webhooks'),
    dispatcher: names('dispatcher'),
  });
  t.is(all.code, 0);
});

test('migrate --print prints SQL that does the same', async (t) => {
  const [migrated, printed] = await Promise.all([throwawayDatabase(), throwawayDatabase()]);
  t.teardown(() => Promise.all([migrated.drop(), printed.drop()]));
  const script = await roster(t, ['migrate', '--print']);
  t.is(script.code, 0, script.stderr);
  t.is(await applyScript(printed.url, script.stdout), 'done');
  await roster(t, ['migrate'], { DATABASE_URL: migrated.url });
  t.deepEqual(await structureOf(printed.url), await structureOf(migrated.url));
  // What was applied by hand is known to have been.
  const nothing = { contacts: [], users: [], webhooks: [], dispatcher: [] };
  const again = await roster(t, ['migrate'], { DATABASE_URL: printed.url });
  t.deepEqual(JSON.parse(again.stdout), nothing);
  const rest = await roster(t, ['migrate', 'users', '--print'], { DATABASE_URL: printed.url });
  t.is(rest.stdout, '\\set ON_ERROR_STOP on\n\n-- users: nothing to do\n');
});

test('SQL of migrate --print refuses to run at once while somebody else migrates, and once it was run', async (t) => {
  const { url, drop } = await throwawayDatabase();
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(async () => {
    await other.end();
    await drop();
  });
  const { stdout: script } = await roster(t, ['migrate', 'users', '--print']);
  const ways = [applyScript, ...((await succeeds('psql', '--version')) ? [applyByPsql] : [])];
  if (ways.length === 1) t.log('psql is not on the PATH: it is not tried.');
  const refused = async (message: RegExp) => {
    for (const apply of ways) await t.throwsAsync(apply(url, script), { message }, apply.name);
  };
  await other.query(`select pg_advisory_lock(hashtext('roster:migrate:users'))`);
  await refused(/Another session is migrating the schema users\. /);
  const schemas = await other.query(`select from pg_namespace where nspname = 'users'`);
  t.is(schemas.rowCount, 0, 'nothing was done');
  await other.query(`select pg_advisory_unlock_all()`);

  await ways.at(-1)!(url, script);
  await refused(/The schema users was migrated after this script was printed. Print it again\./);
});

test('migrate says in one line what a person must put right, at once, and exits with 1', async (t) => {
  const { url, drop } = await throwawayDatabase();
  t.teardown(drop);
  const { host } = new URL(url);
  for (const [DATABASE_URL, problem] of [
    [undefined, 'DATABASE_URL is missing: set it to postgres://user:password@host:port/database'],
    [
      url.replace(/\/\/[^@]*@/, '//roster:secret@'),
      `DATABASE_URL: PostgreSQL at ${host} rejects the user name or password (28P01): correct them.`,
    ],
    [
      url.replace(/\/\w+$/, '/nowhere'),
      `DATABASE_URL: PostgreSQL at ${host} has no such database (3D000): create it, or correct its name.`,
    ],
    [
      'mysql://secret/x',
      'Invalid environment variables:\n  DATABASE_URL: must be postgres://user:password@host:port/database',
    ],
  ]) {
    const result = await roster(t, ['migrate'], DATABASE_URL ? { DATABASE_URL } : {});
    t.deepEqual(result, { code: 1, stdout: '', stderr: `${problem}\n` });
  }
});

test('migrate names the services that it could not migrate, each with what to do, and says what it applied to the others', async (t) => {
  const { url, drop } = await throwawayDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await drop();
  });
  await roster(t, ['migrate', 'webhooks'], { DATABASE_URL: url });
  // Tables of another program, and a migration of Roster's own that cannot be applied.
  await client.query(`
    create schema contacts; create table contacts.contacts (id int);
    delete from webhooks.migrations where name = '${migrations['webhooks']![0]!.name}'`);
  const { code, stdout, stderr } = await roster(t, ['migrate'], { DATABASE_URL: url });
  t.is(code, 1);
  const names = (service: string) => migrations[service]!.map(({ name }) => name);
  t.deepEqual(JSON.parse(stdout), { users: names('users'), dispatcher: names('dispatcher') });
  t.is(
    stderr,
    "contacts: DATABASE_URL: The schema contacts holds tables that are not Roster's (contacts). Name a database of its own, or rename that schema.\n" +
      'webhooks: The schema webhooks could not be migrated: relation "webhooks" already exists. Correct that, then run roster migrate webhooks again.\n',
  );
});

test('as process 1 of a container it ends on SIGTERM', async (t) => {
  // Of a PID namespace it is what it is of a container: signals that it does not handle do nothing to it.
  const apart = ['--pid', '--fork', '--kill-child'];
  if (!(await succeeds('unshare', ...apart, 'true'))) {
    t.log('PID namespaces cannot be made here: this is not tried.');
    t.pass();
    return;
  }
  // PostgreSQL that does not answer: `migrate` waits.
  const connected = Promise.withResolvers<void>();
  const silent = createServer(() => connected.resolve()).listen(0, '127.0.0.1');
  t.teardown(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const env = { PATH: process.env.PATH, DATABASE_URL: `postgres://a:b@127.0.0.1:${port}/c` };
  const unshare = spawn('unshare', [...apart, process.execPath, cli, 'migrate'], { env });
  t.teardown(() => unshare.kill('SIGKILL'));
  const exited = once(unshare, 'exit');
  await connected.promise;
  const children = await readFile(`/proc/${unshare.pid}/task/${unshare.pid}/children`, 'utf8');
  process.kill(Number(children), 'SIGTERM');
  t.deepEqual(await exited, [143, null]);
});

test('wrong credentials of NATS are said in one line, and nobody waits', async (t) => {
  const nats = await throwawayNats();
  t.teardown(() => nats.stop());
  const file = join(nats.dataDir, 'nats.conf');
  const config = JSON.parse(await readFile(file, 'utf8')) as object;
  const authorization = { user: 'ada', password: 'right' };
  await writeFile(file, JSON.stringify({ ...config, authorization }));
  nats.kill('SIGHUP');
  const NATS_URL = nats.url.replace('//', '//ada:secret@');
  const args = ['key', 'revoke', '--id', 'key_01m7yrn63je008jw5dtbaj4p15'];
  // Until the server has read its configuration again anybody is let in.
  const { code, stderr } = await eventually(async () => {
    const result = await roster(t, args, { NATS_URL });
    return !result.stderr.startsWith('unavailable') && result;
  });
  t.is(code, 1);
  t.is(
    stderr,
    `NATS_URL: NATS at ${new URL(nats.url).host} rejects the user name or password (AUTHORIZATION_VIOLATION): correct them.\n`,
  );
});

const cli = fileURLToPath(new URL('../roster.js', import.meta.url));

/** As psql would, which alone knows the lines with a backslash. */
async function applyScript(url: string, script: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // What waits for a lock is told apart from what refuses.
    await client.query(`set statement_timeout = '10s'`);
    await client.query(script.replaceAll(/^\\.*$/gm, ''));
  } finally {
    await client.end();
  }
  return 'done';
}

async function applyByPsql(url: string, script: string): Promise<string> {
  const psql = promisify(execFile)('psql', ['--no-psqlrc', '--quiet', url], { timeout: 30_000 });
  psql.child.stdin!.end(script);
  await psql;
  return 'done';
}

const succeeds = (command: string, ...args: string[]): Promise<boolean> =>
  promisify(execFile)(command, args).then(
    () => true,
    () => false,
  );

/** Columns, indexes, constraints and functions of all services' schemas. */
async function structureOf(url: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const schemas = `('contacts', 'users', 'webhooks', 'dispatcher')`;
  const queries = [
    `select table_schema, table_name, column_name, data_type, column_default, is_nullable, datetime_precision,
       character_maximum_length, collation_name
     from information_schema.columns where table_schema in ${schemas} order by 1, 2, 3`,
    `select indexdef from pg_indexes where schemaname in ${schemas} order by 1`,
    `select conrelid::regclass::text, conname, pg_get_constraintdef(oid) from pg_constraint
     where connamespace in (select oid from pg_namespace where nspname in ${schemas}) order by 1, 2`,
    `select pg_get_functiondef(oid) from pg_proc
     where pronamespace in (select oid from pg_namespace where nspname in ${schemas}) order by 1`,
    `select pg_get_triggerdef(oid) from pg_trigger where not tgisinternal order by 1`,
    ...['contacts', 'users', 'webhooks', 'dispatcher'].map(
      (schema) => `select id, name from ${schema}.migrations order by 1`,
    ),
  ];
  const found: unknown[] = [];
  for (const query of queries) found.push((await client.query(query)).rows);
  await client.end();
  return found;
}

async function roster(t: ExecutionContext, args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const home = await mkdtemp(join(tmpdir(), 'roster-test-cli-'));
  t.teardown(() => rm(home, { recursive: true, force: true }));
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { env: { PATH: process.env.PATH, ROSTER_HOME: home, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}
