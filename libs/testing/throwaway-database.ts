import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startPostgres } from '@roster/embedded';
import pg from 'pg';

export interface ThrowawayDatabase {
  url: string;
  /** Drops the database and terminates its remaining sessions. */
  drop(): Promise<void>;
}

/**
 * A new empty database, on the server that `ROSTER_TEST_DATABASE_URL` names (the test runner sets it), otherwise on
 * an embedded server that is started for it.
 */
export async function throwawayDatabase(): Promise<ThrowawayDatabase> {
  const serverUrl = process.env.ROSTER_TEST_DATABASE_URL;
  return serverUrl ? databaseOn(serverUrl) : databaseOfItsOwn();
}

async function databaseOn(serverUrl: string): Promise<ThrowawayDatabase> {
  const name = `test_${randomBytes(8).toString('hex')}`;
  // template1 cannot be copied while a session is connected to it; template0 accepts no connections.
  await execute(serverUrl, `CREATE DATABASE ${name} TEMPLATE template0`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

async function databaseOfItsOwn(): Promise<ThrowawayDatabase> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roster-test-postgres-'));
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
