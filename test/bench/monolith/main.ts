/**
 * The monolith that Roster is compared with: one program that serves REST from PostgreSQL, as one process or as a
 * cluster. It has the optimisations that a team would make before splitting it: prepared statements, a pool, cached
 * keys, one statement per request.
 */
import cluster from 'node:cluster';
import type { AddressInfo } from 'node:net';
import { openApp } from './app.js';
import { config } from './config.js';
import { Database } from './database.js';
import { Keys } from './keys.js';
import { openLog } from './log.js';
import { Outbox } from './outbox.js';
import { Relay } from './webhooks/relay.js';

export interface Ready {
  port: number;
  pids: number[];
}

process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
if (cluster.isPrimary && config.workers > 1) startWorkers(config.workers);
else await serve();

function startWorkers(count: number): void {
  const pids = Array.from({ length: count }, () => cluster.fork().process.pid!);
  let listening = 0;
  // All workers listen on the same port, although each passes 0.
  cluster.on('listening', (_, { port }) => {
    listening += 1;
    if (listening === count) process.send?.({ port, pids: [process.pid, ...pids] } satisfies Ready);
  });
}

async function serve(): Promise<void> {
  const log = openLog();
  const database = new Database(config.databaseUrl, config.poolMax);
  const { natsUrl, natsSeedFile } = config;
  const events = natsUrl
    ? await Outbox.open({ natsUrl, natsSeedFile }, database, log)
    : new Relay(database, log, config);
  const app = openApp({ database, events, log, keys: new Keys(database) });
  const server = app.listen(0, '127.0.0.1', () => {
    if (cluster.isPrimary)
      process.send?.({
        port: (server.address() as AddressInfo).port,
        pids: [process.pid],
      } satisfies Ready);
  });
}
