import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import test from 'ava';

import { root } from '../home.js';
import {
  databaseUsers,
  defaultRoleNames,
  services,
  urlVariable,
} from '../database/database-user.js';
import { rolesScript } from '../database/roles-script.js';
import { scramVerifier } from '../database/roles.js';
import { environmentOf, newDatabase, privileges } from './installed-roles.js';
import { roster } from './run-roster.js';

test('postgres roles prints the statements that --apply runs, and both may be repeated', async (t) => {
  const [applied, printed] = await Promise.all([newDatabase(t), newDatabase(t)]);
  const { stdout, stderr, code } = await applied.applyRoles();
  t.deepEqual([stderr, code], ['', 0]);
  t.deepEqual(JSON.parse(stdout), { roles: databaseUsers.map(applied.roleOf) });

  const { stdout: script } = await roster(
    t,
    ['postgres', 'roles'],
    environmentOf(printed.urls, printed.adminUrl),
  );
  await printed.admin.query(script);
  const general = (lines: string[]) => lines.map((line) => line.replaceAll(/_[0-9a-f]{8}\b/g, ''));
  const first = await privileges(applied.admin);
  t.deepEqual(general(await privileges(printed.admin)), general(first));
  t.true(first.some((line) => line.startsWith('schema contacts roster_migrator')));

  for (const { urls, admin, applyRoles } of [applied, printed]) {
    t.is((await applyRoles()).stderr, '');
    t.is((await roster(t, ['migrate'], { DATABASE_URL: urls.migrate })).stderr, '');
    const migrated = await privileges(admin);
    t.is((await applyRoles()).stderr, '');
    t.deepEqual(await privileges(admin), migrated, 'new tables have their privileges already');
  }
  await printed.admin.query(script);
});

test('runs at the same time create the roles once', async (t) => {
  const { admin, roleOf, applyRoles } = await newDatabase(t);
  const runs = await Promise.all([applyRoles(), applyRoles(), applyRoles()]);
  t.deepEqual(
    runs.map(({ stderr, code }) => [stderr, code]),
    runs.map(() => ['', 0]),
  );
  const { rows } = await admin.query<{ owner: string }>(
    `select distinct nspowner::regrole::text as owner from pg_namespace where nspname = any($1)`,
    [services],
  );
  t.deepEqual(rows, [{ owner: roleOf('migrate') }]);
});

test('the manifests contain the printed statements', async (t) => {
  const file = join(root, 'deploy/kubernetes/components/postgres/roles.sql');
  t.is(await readFile(file, 'utf8'), rolesScript(defaultRoleNames));
});

test('an installation in which one role owns everything keeps its data, and that role continues to work', async (t) => {
  const { admin, adminUrl, urls, roleOf, newRole, connect, applyRoles } = await newDatabase(t);
  const former = await newRole('former');
  await admin.query(
    `grant create on database ${new URL(adminUrl).pathname.slice(1)} to ${former.role}`,
  );
  t.is((await roster(t, ['migrate'], { DATABASE_URL: former.url })).stderr, '');
  const owner = await connect(former.url);
  const id = randomUUID();
  await owner.query(`select dispatcher.prepare_day('2026-11-21')`);
  await owner.query(
    `insert into users.workspaces (id, name, created_at) values ($1, 'Acme', now())`,
    [id],
  );

  t.is((await applyRoles()).stderr, '');
  const owners = await admin.query(
    `select distinct relowner::regrole::text as owner from pg_class
     where relnamespace::regnamespace::text = any($1) and relkind in ('r', 'p', 'S')`,
    [services],
  );
  t.deepEqual(owners.rows, [{ owner: roleOf('migrate') }]);
  const kept = async (url: string) =>
    (await (await connect(url)).query('select id from users.workspaces')).rows as unknown[];
  t.deepEqual(await kept(urls.users), [{ id }]);

  // As processes of the former release during a rollout: they create partitions without functions.
  t.deepEqual(await kept(former.url), [{ id }]);
  for (const table of ['events', 'deliveries'])
    await owner.query(
      `create table dispatcher.${table}_20261122 partition of dispatcher.${table}
       for values from ('0193519f-4c00-0000-0000-000000000000') to ('019356c5-a800-0000-0000-000000000000')`,
    );
  const dispatcher = await connect(urls.dispatcher);
  await dispatcher.query(`select dispatcher.drop_partition('events_20261122')`);
  const { rows } = await dispatcher.query(
    `select to_regclass('dispatcher.events_20261122') as gone`,
  );
  t.deepEqual(rows, [{ gone: null }]);
  t.is((await applyRoles()).stderr, '');
});

test('a role with CREATEROLE that owns the database creates the roles without being a superuser', async (t) => {
  const { admin, adminUrl, urls, newRole, applyRoles } = await newDatabase(t);
  const owner = await newRole('owner', 'createrole');
  await admin.query(`alter database ${new URL(adminUrl).pathname.slice(1)} owner to ${owner.role}`);
  t.teardown(() => admin.query(`reassign owned by ${owner.role} to current_user`));
  t.is((await applyRoles(owner.url)).stderr, '');
  t.is((await roster(t, ['migrate'], { DATABASE_URL: urls.migrate })).stderr, '');
  t.is((await applyRoles(owner.url)).stderr, '');
});

test('the migrator migrates a database that has the extension in another schema', async (t) => {
  const { admin, urls, applyRoles } = await newDatabase(t);
  await admin.query('create schema shared; create extension btree_gin schema shared');
  t.is((await applyRoles()).stderr, '');
  t.is((await roster(t, ['migrate'], { DATABASE_URL: urls.migrate })).stderr, '');
  const { rows } = await admin.query(
    `select indisvalid from pg_index where indexrelid = 'contacts.contacts_search'::regclass`,
  );
  t.deepEqual(rows, [{ indisvalid: true }]);
});

test('roles are not created in schemas of another program, or with too many privileges, and one line reports it', async (t) => {
  const { admin, adminUrl, urls, newRole, applyRoles } = await newDatabase(t);
  const rejected = async (line: RegExp, env?: NodeJS.ProcessEnv) => {
    const { code, stderr } = await (env
      ? roster(t, ['postgres', 'roles', '--apply'], env)
      : applyRoles());
    t.is(code, 1);
    t.regex(stderr, line);
    t.notRegex(stderr, /secret/);
    t.is(stderr.trim().split('\n').length, 1);
  };
  const env = environmentOf(urls, adminUrl);
  const { [urlVariable('users')]: _, ...incomplete } = env;
  await rejected(
    /^USERS_DATABASE_URL is missing: set it to postgres:\/\/roster_users:/,
    incomplete,
  );
  await rejected(/^Two of .* name the same role\.$/m, {
    ...env,
    [urlVariable('users')]: urls.webhooks,
  });
  const strong = await newRole('strong', 'createdb');
  await rejected(/The role strong_\w+ has privileges that no role of Roster may have/, {
    ...env,
    [urlVariable('users')]: strong.url,
  });
  const limited = await newRole('limited');
  await rejected(/^The roles could not be created: permission denied .*Run this as a superuser/, {
    ...env,
    DATABASE_URL: limited.url,
  });
  await admin.query('create schema contacts; create table contacts.people ()');
  await rejected(/The schema contacts holds tables that are not Roster's/);
  const { rowCount } = await admin.query(`select from pg_namespace where nspname = 'users'`);
  t.is(rowCount, 0, 'nothing was changed');
});

test('a verifier is what PostgreSQL computes from the password', async (t) => {
  const { admin, newRole } = await newDatabase(t);
  const { role } = await newRole('hashed');
  const { rows } = await admin.query<{ verifier: string }>(
    'select rolpassword as verifier from pg_authid where rolname = $1',
    [role],
  );
  const { verifier } = rows[0]!;
  const salt = Buffer.from(verifier.split(/[:$]/)[2]!, 'base64');
  t.is(scramVerifier(`secret-${role}`, salt), verifier);
});
