import { randomBytes } from 'node:crypto';

import { throwawayDatabase } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import pg from 'pg';

import {
  defaultRoleNames,
  forEachUser,
  services,
  urlVariable,
  type DatabaseUrls,
} from '../database/database-user.js';
import { roster } from './run-roster.js';

/** A new database, and URLs of roles that exist only for it: roles belong to the server, which tests share. */
export async function newDatabase(t: ExecutionContext) {
  const { url: adminUrl, drop } = await throwawayDatabase();
  const suffix = randomBytes(4).toString('hex');
  const admin = new pg.Client({ connectionString: adminUrl });
  await admin.connect();
  const clients = [admin];
  const roles = Object.values(defaultRoleNames).map((name) => `${name}_${suffix}`);
  t.teardown(async () => {
    await Promise.all(clients.slice(1).map((client) => client.end()));
    for (const role of roles.toReversed()) {
      const { rowCount } = await admin.query('select from pg_roles where rolname = $1', [role]);
      if (rowCount === 1) await admin.query(`drop owned by ${role} cascade; drop role ${role}`);
    }
    await admin.end();
    await drop();
  });
  const urlOf = (role: string) => {
    const url = new URL(adminUrl);
    return Object.assign(url, { username: role, password: `secret-${role}` }).href;
  };
  const urls: DatabaseUrls = forEachUser((user) => urlOf(`${defaultRoleNames[user]}_${suffix}`));
  return {
    adminUrl,
    admin,
    urls,
    roleOf: (user: keyof DatabaseUrls) => `${defaultRoleNames[user]}_${suffix}`,
    /** Another role, with the password in its URL. */
    async newRole(name: string, attributes = ''): Promise<{ role: string; url: string }> {
      const role = `${name}_${suffix}`;
      await admin.query(`create role ${role} login ${attributes} password 'secret-${role}'`);
      roles.push(role);
      return { role, url: urlOf(role) };
    },
    async connect(url: string): Promise<pg.Client> {
      const client = new pg.Client({ connectionString: url });
      clients.push(client);
      await client.connect();
      return client;
    },
    applyRoles: (url = adminUrl) =>
      roster(t, ['postgres', 'roles', '--apply'], environmentOf(urls, url)),
  };
}

export type NewDatabase = Awaited<ReturnType<typeof newDatabase>>;

/** Creates the roles, and migrates as the migrator. */
export async function install(t: ExecutionContext): Promise<NewDatabase> {
  const database = await newDatabase(t);
  const applied = await database.applyRoles();
  t.is(applied.stderr, '');
  const migrated = await roster(t, ['migrate'], { DATABASE_URL: database.urls.migrate });
  t.is(migrated.stderr, '');
  return database;
}

export const environmentOf = (urls: DatabaseUrls, adminUrl: string): NodeJS.ProcessEnv => ({
  DATABASE_URL: adminUrl,
  ...Object.fromEntries(
    Object.values(forEachUser((user) => [urlVariable(user), urls[user]] as const)),
  ),
});

/** Owners and privileges of everything in the schemas, the schemas and the database. */
export async function privileges(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ line: string }>(
    `with objects as (
      select 'schema ' || nspname as object, nspowner as owner, nspacl as acl from pg_namespace where nspname = any($1)
      union all
      select 'table ' || c.oid::regclass, relowner, relacl from pg_class c join pg_namespace n on n.oid = relnamespace
      where nspname = any($1) and relkind in ('r', 'p', 'S', 'v', 'm')
      union all
      select 'routine ' || p.oid::regprocedure, proowner, proacl from pg_proc p join pg_namespace n on n.oid = pronamespace
      where nspname = any($1)
      union all
      select 'default ' || concat(nspname, ' ', defaclobjtype), defaclrole, defaclacl
      from pg_default_acl left join pg_namespace n on n.oid = defaclnamespace
      union all
      select 'database', datdba, datacl from pg_database where datname = current_database()
    )
    select object || ' ' || owner::regrole || ' ' || coalesce((
      select string_agg(entry::text, ' ' order by entry::text) from unnest(acl) entry), '') as line
    from objects order by 1`,
    [services],
  );
  return rows.map(({ line }) => line);
}
