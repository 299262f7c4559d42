import { execFile } from 'node:child_process';
import { appendFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import type { EmbeddedServer } from './embedded-server.js';
import { freePort } from './free-port.js';
import { clusterDirectory } from './postgres-cluster.js';
import { type PostgresOptions, startPostgres } from './postgres.js';

export interface PostgresPair {
  primary: EmbeddedServer;
  /** Reads only, until it is promoted. */
  standby: EmbeddedServer;
  /** Makes the standby take writes. The former primary must be gone: nothing keeps both from writing. */
  promote(): Promise<void>;
}

export type PostgresPairOptions = Pick<PostgresOptions, 'dataDir' | 'log' | 'settings'>;

/**
 * Starts a PostgreSQL on 127.0.0.1 and a hot standby that follows it by streaming replication. The primary confirms a commit
 * when the standby has it too, so that nothing confirmed is lost with the primary's process. Neither syncs to disk: both may
 * be killed, the machine must not lose power. For tests; `dataDir` has to be new.
 */
export async function startPostgresPair(options: PostgresPairOptions): Promise<PostgresPair> {
  const { dataDir, log } = options;
  const [primaryDir, standbyDir] = [join(dataDir, 'primary'), join(dataDir, 'standby')];
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const settings = {
    fsync: 'off',
    wal_keep_size: '1GB',
    wal_retrieve_retry_interval: '200ms',
    ...options.settings,
  };

  // The copy is of a server that has stopped: it needs no backup mode.
  const first = await startPostgres({ dataDir: primaryDir, port: primaryPort, settings, log });
  await first.stop();
  await copyAsStandby(primaryDir, standbyDir, first.url);

  const primary = await startPostgres({
    dataDir: primaryDir,
    port: primaryPort,
    settings: { synchronous_standby_names: '*', ...settings },
    log,
  });
  const promoted = Promise.withResolvers<void>();
  const standby = await startPostgres({
    dataDir: standbyDir,
    port: standbyPort,
    settings,
    log(line) {
      if (line.includes('database system is ready to accept connections')) promoted.resolve();
      log?.(line);
    },
  });
  void standby.exited.then(() => promoted.reject(new Error('The standby ended.')));
  promoted.promise.catch(() => {});
  return {
    primary,
    standby,
    async promote() {
      // What pg_ctl does; the package comes without some of PostgreSQL's programs, and has no SQL client.
      await writeFile(join(clusterDirectory(standbyDir), 'promote'), '');
      standby.kill('SIGUSR1');
      await promoted.promise;
    },
  };
}

async function copyAsStandby(primaryDir: string, standbyDir: string, url: string): Promise<void> {
  await rm(standbyDir, { recursive: true, force: true });
  // Keeps the owner, who the server runs as.
  await promisify(execFile)('cp', ['-a', primaryDir, standbyDir]);
  const { hostname, port, username, password } = new URL(url);
  const upstream = `host=${hostname} port=${port} user=${username} password=${password}`;
  const cluster = clusterDirectory(standbyDir);
  await appendFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${upstream}'\n`);
  await writeFile(join(cluster, 'standby.signal'), '');
}
