import test from 'ava';

import { services } from '../database/database-user.js';
import { install } from './installed-roles.js';

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
