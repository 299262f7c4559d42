import { openDatabase } from '@roster/storage';
import pg from 'pg';

type Migrations = Parameters<typeof openDatabase>[0]['migrations'];

/**
 * A second database with the same tables and indexes as Roster's, for a program that counts rows instead of
 * maintaining counters.
 */
export async function openMonolithDatabase(serverUrl: string, name = 'monolith'): Promise<string> {
  await run(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  for (const service of ['contacts', 'users']) {
    const database = await openDatabase({
      url: url.href,
      schema: service,
      poolMax: 2,
      entities: [],
      migrations: await migrationsOf(service),
      log: silent,
    });
    await database.close();
  }
  await run(
    url.href,
    `drop trigger contacts_counted_in on contacts.contacts;
     drop trigger contacts_counted_out on contacts.contacts`,
  );
  return url.href;
}

/** A copy of a database that nobody uses. */
export async function copyDatabase(url: string, name: string): Promise<string> {
  const server = new URL(url);
  const source = server.pathname.slice(1);
  server.pathname = '/postgres';
  await run(server.href, `create database ${name} template ${source} strategy file_copy`);
  server.pathname = `/${name}`;
  return server.href;
}

/** Services export nothing, so that other packages cannot use their code. The monolith needs the same tables. */
async function migrationsOf(service: string): Promise<Migrations> {
  const file = new URL(`../../../../services/${service}/dist/migrations/index.js`, import.meta.url);
  return ((await import(file.href)) as { migrations: Migrations }).migrations;
}

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

const ignore = () => undefined;
const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore } as never;
