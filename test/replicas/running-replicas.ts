import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectBus } from '@roster/bus';
import { freePort, startNats, startPostgres } from '@roster/embedded';
import { ClosedSystem } from '@roster/local/closed-system';
import { openLog, ShutdownStack } from '@roster/process';
import { callAsSystem, inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { thisRelease, type ProcessName } from '../cluster/release.js';
import { Replica } from '../cluster/replica.js';
import { Client } from '../system/client.js';
import { startTimeoutMs, testTimeoutMs } from '../system/running-roster.js';

export interface RunningReplicas {
  contacts: Replica[];
  /** The URL of a superuser. */
  databaseUrl: string;
  /** Starts a further contacts process with other variables, which may never be ready. */
  addContacts(env: NodeJS.ProcessEnv): Promise<Replica>;
  /** Creates a workspace. Returns a client of it for each gateway. */
  newWorkspace(): Promise<Client[]>;
}

/** Two gateways and two contacts processes with a NATS server and a database, for one test. */
export async function runReplicas(
  t: ExecutionContext,
  { lockMs, requestMs }: { lockMs: number; requestMs: number },
): Promise<RunningReplicas> {
  t.timeout(startTimeoutMs);
  const log = openLog('replicas', 'silent');
  const shutdown = new ShutdownStack(log);
  t.teardown(() => shutdown.shutDown());
  const home = await mkdtemp(join(tmpdir(), 'roster-replicas-'));
  shutdown.onShutdown(() => rm(home, { recursive: true, force: true, maxRetries: 10 }));
  const closed = new ClosedSystem(home);
  const nats = await startNats({ dataDir: join(home, 'nats'), users: closed.natsUsers });
  shutdown.onShutdown(() => nats.stop());
  const postgres = await startPostgres({ dataDir: join(home, 'postgres'), durable: false });
  shutdown.onShutdown(() => postgres.stop());
  await closed.prepareDatabase(postgres.url);
  const open = async (name: ProcessName, id: string, more: NodeJS.ProcessEnv = {}) => {
    const adminPort = await freePort();
    const replica = new Replica({ name, id, adminPort, logFile: join(home, `${id}.log`) });
    const own = closed.environmentOf(name, nats.url);
    const { DATABASE_URL: url } = own;
    const env = {
      ...inheritedEnv,
      ...own,
      ...(url !== undefined && { DATABASE_URL: `${url}?lock_timeout=${lockMs}` }),
      REQUEST_TIMEOUT_MS: String(requestMs),
      ...more,
    };
    shutdown.onShutdown(() => replica.kill());
    return { replica, ready: replica.start({ release: thisRelease, env }) };
  };
  const start = async (...how: Parameters<typeof open>) => {
    const { replica, ready } = await open(...how);
    await ready;
    return replica;
  };
  await start('users', 'users');
  const contacts = [await start('contacts', 'contacts-1'), await start('contacts', 'contacts-2')];
  const ports = [await freePort(), await freePort()];
  for (const port of ports) await start('gateway', `gateway-${port}`, { PORT: String(port) });
  const bus = await connectBus({ servers: nats.url, ...closed.operator, log });
  shutdown.onShutdown(() => bus.close());
  t.timeout(testTimeoutMs);
  return {
    contacts,
    databaseUrl: postgres.url,
    async addContacts(env) {
      const { replica, ready } = await open('contacts', 'contacts-added', env);
      ready.catch(() => undefined);
      return replica;
    },
    async newWorkspace() {
      const owner = { ownerEmail: 'owner@example.com', ownerName: 'Owner' };
      const workspace = { name: 'Replicas', ...owner };
      const { apiKey } = await bus.call('workspaces.create', workspace, callAsSystem());
      return ports.map((port) => new Client({ baseUrl: `http://127.0.0.1:${port}`, apiKey }));
    },
  };
}

/** Number of calls of an operation that a process has received. */
export async function callsReceived({ adminPort }: Replica, operation: string): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${adminPort}/metrics`);
  const metrics = await response.text();
  const sum = new RegExp(
    `^roster_batch_received_calls_sum\\{[^}]*operation="${operation}".* (\\S+)$`,
    'm',
  );
  return Number(sum.exec(metrics)?.[1] ?? 0);
}
