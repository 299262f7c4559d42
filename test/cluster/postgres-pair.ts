import { execFile } from 'node:child_process';
import { appendFile, chmod, chown, copyFile, mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

import {
  clusterDirectory,
  freePort,
  startPostgres,
  type EmbeddedServer,
  type PostgresOptions,
} from '@roster/embedded';
import { certificatesIn, type Certificates } from '@roster/testing';

export interface PostgresPair {
  primary: EmbeddedServer;
  /** Read-only until it is promoted. */
  standby: EmbeddedServer;
  /**
   * Promotes the standby, which then accepts writes. The former primary must have been stopped: nothing prevents both
   * from accepting writes.
   */
  promote(): Promise<void>;
  /** File with the authority of the first certificate of both servers. */
  ca: string;
  /** Replaces the certificate of both servers, which new connections are shown from then on. */
  present(certificate: Certificates['server']): Promise<void>;
}

/** Of the certificate of both servers. */
export const postgresNames = 'IP:127.0.0.1,DNS:localhost';

type PostgresPairOptions = Pick<PostgresOptions, 'dataDir' | 'log' | 'settings'>;

/**
 * Starts a PostgreSQL on 127.0.0.1 and a hot standby with synchronous streaming replication: the primary confirms a
 * commit when the standby has received it, so the loss of the primary's process loses no confirmed commit. Neither
 * syncs to disk: the data survives killed processes, but not a power failure. Both accept connections with TLS. For tests;
 * `dataDir` must be new.
 */
export async function startPostgresPair(options: PostgresPairOptions): Promise<PostgresPair> {
  const { dataDir, log } = options;
  const [primaryDir, standbyDir] = [join(dataDir, 'primary'), join(dataDir, 'standby')];
  const tlsDir = join(dataDir, 'tls');
  await mkdir(tlsDir, { recursive: true });
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  const install = (certificate: Certificates['server']) =>
    Promise.all(
      [primaryDir, standbyDir].map((dir) => installCertificate(clusterDirectory(dir), certificate)),
    );
  const settings = {
    fsync: 'off',
    wal_keep_size: '1GB',
    wal_retrieve_retry_interval: '200ms',
    ...options.settings,
  };

  // The server was stopped before the copy: no backup mode is needed.
  const first = await startPostgres({ dataDir: primaryDir, port: primaryPort, settings, log });
  await first.stop();
  await copyAsStandby(primaryDir, standbyDir, first.url);
  const certificates = await certificatesIn(tlsDir, postgresNames);
  await install(certificates.server);

  const primary = await startPostgres({
    dataDir: primaryDir,
    port: primaryPort,
    settings: { ssl: 'on', synchronous_standby_names: '*', ...settings },
    log,
  });
  const promoted = Promise.withResolvers<void>();
  const standby = await startPostgres({
    dataDir: standbyDir,
    port: standbyPort,
    settings: { ssl: 'on', ...settings },
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
      // What pg_ctl does. The npm package contains neither pg_ctl nor an SQL client.
      await writeFile(join(clusterDirectory(standbyDir), 'promote'), '');
      standby.kill('SIGUSR1');
      await promoted.promise;
    },
    ca: certificates.ca,
    async present(certificate) {
      await install(certificate);
      for (const server of [primary, standby]) server.kill('SIGHUP');
    },
  };
}

/** Where the servers look for it by default. They refuse a key that others can read. */
async function installCertificate(
  cluster: string,
  { cert, key }: Certificates['server'],
): Promise<void> {
  const { uid, gid } = await stat(cluster);
  for (const [from, name] of [
    [cert, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    const to = join(cluster, name);
    await copyFile(from, to);
    await chmod(to, 0o600);
    await chown(to, uid, gid);
  }
}

async function copyAsStandby(primaryDir: string, standbyDir: string, url: string): Promise<void> {
  await rm(standbyDir, { recursive: true, force: true });
  // Keeps the owner, which the server runs as.
  await promisify(execFile)('cp', ['-a', primaryDir, standbyDir]);
  const { hostname, port, username, password } = new URL(url);
  const upstream = `host=${hostname} port=${port} user=${username} password=${password}`;
  const cluster = clusterDirectory(standbyDir);
  await appendFile(join(cluster, 'postgresql.auto.conf'), `primary_conninfo = '${upstream}'\n`);
  await writeFile(join(cluster, 'standby.signal'), '');
}
