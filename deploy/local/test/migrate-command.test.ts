import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

import { throwawayDatabase } from '@roster/testing';
import test from 'ava';
import pg from 'pg';

import { migrations } from '../database/with-database.js';
import { roster, succeeds } from './run-roster.js';

test('migrate migrates the schemas of the named services, or of all, and prints the applied migrations', async (t) => {
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

test('migrate --print prints SQL that results in the same schemas', async (t) => {
  const [migrated, printed] = await Promise.all([throwawayDatabase(), throwawayDatabase()]);
  t.teardown(() => Promise.all([migrated.drop(), printed.drop()]));
  const script = await roster(t, ['migrate', '--print']);
  t.is(script.code, 0, script.stderr);
  t.is(await applyScript(printed.url, script.stdout), 'done');
  await roster(t, ['migrate'], { DATABASE_URL: migrated.url });
  t.deepEqual(await structureOf(printed.url), await structureOf(migrated.url));
  // Migrations that were applied with the script are recorded as applied.
  const nothing = { contacts: [], users: [], webhooks: [], dispatcher: [] };
  const again = await roster(t, ['migrate'], { DATABASE_URL: printed.url });
  t.deepEqual(JSON.parse(again.stdout), nothing);
  const rest = await roster(t, ['migrate', 'users', '--print'], { DATABASE_URL: printed.url });
  t.is(rest.stdout, '\\set ON_ERROR_STOP on\n\n-- users: nothing to do\n');
});

test('the SQL of migrate --print fails immediately during another migration, and if it was already run', async (t) => {
  const { url, drop } = await throwawayDatabase();
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  t.teardown(async () => {
    await other.end();
    await drop();
  });
  const { stdout: script } = await roster(t, ['migrate', 'users', '--print']);
  const ways = [applyScript, ...((await succeeds('psql', '--version')) ? [applyByPsql] : [])];
  if (ways.length === 1) t.log('psql is not on the PATH: not tested.');
  const refused = async (message: RegExp) => {
    for (const apply of ways) await t.throwsAsync(apply(url, script), { message }, apply.name);
  };
  await other.query(`select pg_advisory_lock(hashtext('roster:migrate:users'))`);
  await refused(/Another session is migrating the schema users\. /);
  const schemas = await other.query(`select from pg_namespace where nspname = 'users'`);
  t.is(schemas.rowCount, 0, 'nothing was created');
  await other.query(`select pg_advisory_unlock_all()`);

  await ways.at(-1)!(url, script);
  await refused(/The schema users was migrated after this script was printed. Print it again\./);
});

test('migrate reports a wrong DATABASE_URL in one line without waiting, and exits with 1', async (t) => {
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

test('migrate reports each service that it cannot migrate, and prints the migrations applied to the others', async (t) => {
  const { url, drop } = await throwawayDatabase();
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(async () => {
    await client.end();
    await drop();
  });
  await roster(t, ['migrate', 'webhooks'], { DATABASE_URL: url });
  // Tables of another program, and a migration of Roster that cannot be applied.
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

/** Runs the script statement by statement, without the lines with a backslash, which only psql understands. */
async function applyScript(url: string, script: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    // Waiting for a lock ends with another error than a refusal.
    await client.query(`set statement_timeout = '10s'`);
    for (const statement of statementsOf(script.replaceAll(/^\\.*$/gm, '')))
      await client.query(statement);
  } finally {
    await client.end();
  }
  return 'done';
}

/** A statement ends with a semicolon at the end of a line, outside of the body of a function. */
function statementsOf(script: string): string[] {
  const statements = [''];
  for (const line of script.split('\n')) {
    const statement = `${statements.pop()}${line}\n`;
    statements.push(statement);
    if (line.endsWith(';') && !isQuoting(statement)) statements.push('');
  }
  return statements;
}

/** Whether a text ends within a body, which other bodies may be in. */
function isQuoting(text: string): boolean {
  let body: string | undefined;
  for (const [quote] of text.matchAll(/\$\w*\$/g))
    if (body === undefined) body = quote;
    else if (body === quote) body = undefined;
  return body !== undefined;
}

async function applyByPsql(url: string, script: string): Promise<string> {
  const psql = promisify(execFile)('psql', ['--no-psqlrc', '--quiet', url], { timeout: 30_000 });
  psql.child.stdin!.end(script);
  await psql;
  return 'done';
}

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
