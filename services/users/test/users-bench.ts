import { createHash } from 'node:crypto';
import { connectBus, type Bus, type CallerSigner } from '@roster/bus';
import { IdClock, openLog, openMetrics } from '@roster/process';
import { openDatabase, Outbox, type Database } from '@roster/storage';
import { callAs, callAsSystem, throwawayDatabase, throwawayNats } from '@roster/testing';
import type { TestFn } from 'ava';
import { AdminKeys } from '../keys/admin-keys.js';
import { entities } from '../entities/index.js';
import { handlers } from '../handlers.js';
import { migrations } from '../migrations/index.js';
import type { IdentityProvider } from '../sessions/identity-provider.js';
import { schema } from '../service.js';

/** The service, served over its own NATS server with its own PostgreSQL database. */
export interface UsersBench {
  /** The connection of a client. In production it belongs to another process. */
  bus: Bus;
  database: Database;
  outbox: Outbox;
  databaseUrl: string;
  /** Names of the frequent statements that ran so far. */
  statements: string[];
}

interface BenchOptions {
  /** Lock timeout: 2 s by default. */
  lockMs?: number;
  /** By default statements are not signed, and tokens are not made. */
  signer?: CallerSigner;
  /** By default none is configured. */
  identityProvider?: IdentityProvider;
  /** By default the interface for admin keys is off. */
  adminKeyHashes?: string[];
}

/** Starts the service once for a file of tests. Each test creates its own workspace. */
export function usersBench(test: TestFn, options: BenchOptions = {}): () => UsersBench {
  const steps: (() => unknown)[] = [];
  let bench: UsersBench;
  test.before(async () => {
    bench = await open(options, (step) => steps.unshift(step));
  });
  test.after.always(async () => {
    for (const step of steps) await step();
  });
  return () => bench;
}

/** The migrated database. */
const template = {
  name: schema,
  async fill(url: string) {
    const log = openLog(schema, 'silent');
    await (await openDatabase({ url, schema, poolMax: 2, entities, migrations, log })).close();
  },
};

async function open(
  { lockMs, signer, identityProvider, adminKeyHashes = [] }: BenchOptions,
  onShutdown: (step: () => unknown) => void,
): Promise<UsersBench> {
  const log = openLog('users', 'silent');
  const [postgres, nats] = await Promise.all([throwawayDatabase(template), throwawayNats()]);
  onShutdown(() => Promise.all([postgres.drop(), nats.stop()]));
  const statements: string[] = [];
  const observe = (statement: string) => void statements.push(statement);
  const database = await openDatabase({
    url: lockMs === undefined ? postgres.url : `${postgres.url}?lock_timeout=${lockMs}`,
    schema,
    poolMax: 5,
    entities,
    migrations,
    log,
    observe,
  });
  onShutdown(() => database.close());
  const served = await connectBus({ servers: nats.url, name: 'users', log });
  onShutdown(() => served.close());
  const stream = { replicas: 1, maxAgeSeconds: 3600 };
  const publisher = await served.openEvents(stream);
  const metrics = openMetrics('users');
  const outbox = await Outbox.open({
    schema,
    database,
    publisher,
    link: served.link,
    log,
    metrics,
    stream,
  });
  onShutdown(() => outbox.stop());
  served.serve(
    'users',
    handlers({
      ...{ database, outbox, bus: served, ids: new IdClock(), signer, identityProvider },
      adminKeys: new AdminKeys(adminKeyHashes),
    }),
  );
  const bus = await connectBus({ servers: nats.url, name: 'caller', log });
  onShutdown(() => bus.close());
  return { bus, database, outbox, databaseUrl: postgres.url, statements };
}

/** A workspace with an owner and a key. */
export async function makeWorkspace({ bus }: UsersBench, name = 'Analytical Engines') {
  const owner = { ownerEmail: 'Ada@Example.com', ownerName: 'Ada Lovelace' };
  const created = await bus.call('workspaces.create', { name, ...owner }, callAsSystem());
  const { apiKeys } = await bus.call('api-keys.list', { limit: 1 }, callAs(created));
  return { ...created, keyId: apiKeys[0]!.id };
}

export const verify = ({ bus }: UsersBench, apiKey: string) =>
  bus.call(
    'keys.verify',
    { sha256: createHash('sha256').update(apiKey).digest('hex') },
    callAsSystem(),
  );

/** Moves the last access of a user into the past. */
export const seenAgo = (
  { database }: UsersBench,
  { userId, seconds }: { userId: string; seconds: number },
) =>
  database.query(
    {
      name: 'test.seen-ago',
      text: `update users.users set last_accessed_at = last_accessed_at - $2 * interval '1 second',
               created_at = created_at - $2 * interval '1 second' where id = $1`,
    },
    [userId, seconds],
  );

/** Bodies of the events of a workspace, oldest first. */
export async function eventsOf({ database }: UsersBench, workspaceId: string): Promise<unknown[]> {
  const rows = await database.query<{ body: string }>(
    {
      name: 'test.events',
      text: `select body from users.outbox where workspace_id = $1 order by id`,
    },
    [workspaceId],
  );
  return rows.map(({ body }) => JSON.parse(body));
}

export { callAs, callAsSystem };
