import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

import test from 'ava';

import { root } from '../config.js';
import {
  databaseUsers,
  defaultRoleNames,
  services,
  urlVariable,
} from '../database/database-user.js';
import { rolesScript } from '../database/roles-script.js';
import { scramVerifier } from '../database/scram-verifier.js';
import { environmentOf, install, newDatabase, privileges } from './installed-roles.js';
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
  await owner.query(`select dispatcher.create_partitions('2026-11-21')`);
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

test('a service reads and writes the tables of its schema, and nothing else', async (t) => {
  const { admin, roleOf } = await install(t);
  for (const service of services) {
    const { rows } = await admin.query<{ privilege: string }>(
      `select distinct format('%s on tables of %s', privilege, nspname) as privilege
       from pg_class c join pg_namespace n on n.oid = relnamespace,
         unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) privilege
       where relkind in ('r', 'p', 'v', 'm', 'f') and has_table_privilege($1, c.oid, privilege)
         -- Catalogs, and settings of the session.
         and not (nspname in ('pg_catalog', 'information_schema') and (privilege = 'SELECT' or relname = 'pg_settings'))
       union
       select format('%s on %s, without %s', 'privileges', nspname, privilege)
       from pg_class c join pg_namespace n on n.oid = relnamespace,
         unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE']) privilege
       where nspname = $2 and relkind in ('r', 'p') and not has_table_privilege($1, c.oid, privilege)
       union
       select format('%s on schema %s', privilege, nspname)
       from pg_namespace, unnest(array['CREATE', 'USAGE']) privilege
       where has_schema_privilege($1, oid, privilege) and nspname not in ('pg_catalog', 'information_schema', 'public')
       union
       select format('CREATE on schema %s', nspname) from pg_namespace where has_schema_privilege($1, oid, 'CREATE')
       union
       select format('%s on the database', privilege)
       from unnest(array['CREATE', 'TEMPORARY']) privilege
       where has_database_privilege($1, current_database(), privilege)
       union
       -- A routine that PostgreSQL or a migration does not offer to everyone.
       select format('EXECUTE on %s', oid::regprocedure) from pg_proc
       where proacl is not null and has_function_privilege($1, oid, 'EXECUTE')
         and pronamespace::regnamespace::text <> $2
         and not exists (select from aclexplode(proacl) where grantee = 0)
       union
       select format('member of %s', roleid::regrole) from pg_auth_members where member = $1::regrole
       union
       select format('owner of %s', objid::text) from pg_shdepend where refobjid = $1::regrole and deptype = 'o'
       order by 1`,
      [roleOf(service), service],
    );
    const expected = [
      ...['DELETE', 'INSERT', 'SELECT', 'UPDATE'].map((verb) => `${verb} on tables of ${service}`),
      `USAGE on schema ${service}`,
    ];
    t.deepEqual(rows.map(({ privilege }) => privilege).toSorted(), expected.toSorted(), service);
  }
});

test('PostgreSQL denies a service every statement on other schemas, DDL, and access to files, programs and roles', async (t) => {
  const { admin, urls, roleOf, connect } = await install(t);
  const { rows: tables } = await admin.query<{ schema: string; name: string }>(
    `select nspname as schema, c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
     where nspname = any($1) and relkind in ('r', 'p')`,
    [services],
  );
  t.true(tables.length > 20);
  for (const service of services) {
    const session = await connect(urls[service]);
    const own = tables.filter(({ schema }) => schema === service);
    const others = tables.filter(({ schema }) => schema !== service);
    const statements = [
      ...others.flatMap(({ name }) => [
        `select from ${name}`,
        `insert into ${name} default values`,
        `delete from ${name}`,
        `select from ${name} for update`,
      ]),
      ...tables.flatMap(({ name }) => [`truncate ${name}`, `drop table ${name}`]),
      ...own.flatMap(({ name }) => [
        `alter table ${name} add column extra text`,
        `create index on ${name} ((1))`,
        `create trigger extra after insert on ${name} execute function suppress_redundant_updates_trigger()`,
      ]),
      `create table ${service}.extra ()`,
      `create function ${service}.extra() returns int language sql return 1`,
      'create temporary table extra ()',
      'create table public.extra ()',
      'create schema extra',
      'create extension hstore',
      'create role extra',
      'create database extra',
      `alter role ${roleOf(service)} createrole`,
      `set role ${roleOf('migrate')}`,
      'set session authorization roster',
      'alter system set log_statement = none',
      'select * from pg_authid',
      `select pg_read_file('PG_VERSION')`,
      `select pg_ls_dir('.')`,
      `select lo_import('/etc/passwd')`,
      'select pg_reload_conf()',
      'select pg_rotate_logfile()',
      `copy (select 1) to program 'true'`,
      `copy (select 1) to '/tmp/extra'`,
      'checkpoint',
    ];
    const allowed: string[] = [];
    for (const statement of statements) {
      const code = await session.query(statement).then(
        () => 'no error',
        (error: { code: string }) => error.code,
      );
      if (code !== '42501') allowed.push(`${service}: ${statement}: ${code}`);
    }
    t.deepEqual(allowed, []);
  }
});
