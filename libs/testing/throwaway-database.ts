import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from '@roster/embedded';
import { copyNewCluster } from './new-cluster.js';
import pg from 'pg';

export interface ThrowawayDatabase {
  url: string;
  /** Drops the database and terminates its remaining sessions. */
  drop(): Promise<void>;
}

/** The contents of a database, for example after the migrations of a service. */
export interface DatabaseTemplate {
  name: string;
  /** Fills an empty database, and closes its connections. */
  fill(url: string): Promise<void>;
}

/**
 * A new database, on the server that `ROSTER_TEST_DATABASE_URL` names (the test runner sets it), otherwise on an embedded server
 * that is started for it. It is empty, or filled by a template: on the runner's own server, which ends with the run, a template is
 * filled once and then copied.
 */
export async function throwawayDatabase(template?: DatabaseTemplate): Promise<ThrowawayDatabase> {
  const serverUrl = process.env.ROSTER_TEST_DATABASE_URL;
  if (serverUrl && template && process.env.ROSTER_TEST_TEMPLATES) {
    await makeTemplate(serverUrl, template);
    return databaseOn(serverUrl, nameOf(template));
  }
  const database = await (serverUrl ? databaseOn(serverUrl) : databaseOfItsOwn());
  await template?.fill(database.url);
  return database;
}

// template1 cannot be copied while a session is connected to it; template0 accepts no connections.
async function databaseOn(serverUrl: string, template = 'template0'): Promise<ThrowawayDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // A copy of the files takes a fifth of the processor time of a copy through the log, on a server that need not sync them.
  const strategy = process.env.ROSTER_TEST_TEMPLATES ? ' STRATEGY FILE_COPY' : '';
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE ${template}${strategy}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

const nameOf = ({ name }: DatabaseTemplate): string => `template_${name}`;

/** One of the test files that need a template makes it, and the others wait for the lock. */
async function makeTemplate(serverUrl: string, template: DatabaseTemplate): Promise<void> {
  const name = nameOf(template);
  const client = new pg.Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query('SELECT pg_advisory_lock(hashtext($1))', [name]);
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name]);
    if (found.rowCount !== 0) return;
    const { url } = await databaseOn(serverUrl);
    await template.fill(url);
    const filled = new URL(url).pathname.slice(1);
    // A session may outlast its connection, and a database with sessions is neither renamed nor copied.
    await client.query(
      'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1',
      [filled],
    );
    await client.query(`ALTER DATABASE ${filled} RENAME TO ${name}`);
  } finally {
    await client.end();
  }
}

async function databaseOfItsOwn(): Promise<ThrowawayDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roster-test-postgres-'));
  await copyNewCluster(dataDir);
  const server = await startPostgres({ dataDir, durable: false });
  return {
    url: server.url,
    async drop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
