import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

import { type EmbeddedServer, launch, LaunchFailure } from './embedded-server.js';
import { freePort } from './free-port.js';
import { serverAccount, readablePostgresBinaries } from './postgres-binaries.js';
import { clusterDirectory, openCluster } from './postgres-cluster.js';

export interface PostgresOptions {
  /** Contains the cluster and its password. Created if missing. */
  dataDir: string;
  /** Default: a free port. */
  port?: number | undefined;
  /** `false` turns fsync off: a power failure may corrupt the data. For tests. */
  durable?: boolean | undefined;
  log?: ((line: string) => void) | undefined;
  /** Server settings (`max_connections`, …) that override the defaults. */
  settings?: Record<string, string> | undefined;
}

const portAttemptsMax = 5;
const orphansTimeoutMs = 10_000;

/**
 * Starts PostgreSQL on 127.0.0.1 with the cluster under `dataDir`, also after a SIGKILL, or with a new one that
 * contains an empty database `roster`. As root, the server runs as another account, because PostgreSQL refuses to run
 * as root.
 *
 * Throws when a server already runs on `dataDir`, or when the given port is in use.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedServer> {
  const dataDir = resolve(options.dataDir);
  const orphansDeadline = Date.now() + orphansTimeoutMs;

  for (let attempt = 1; ; attempt++) {
    const account = await serverAccount(clusterDirectory(dataDir));
    const binaries = await readablePostgresBinaries(account);
    const port = options.port ?? (await freePort());
    try {
      const cluster = await openCluster({ dataDir, account, binaries });
      const server = await launch({
        program: {
          command: binaries.postgres,
          args: ['-D', cluster.serverPath, ...serverSettings(options, port)],
          cwd: cluster.directory,
          env: { LC_ALL: 'C', TZ: 'UTC' },
          account,
          stopSignal: 'SIGINT',
          scratchDir: binaries.scratchDir,
        },
        // A standby logs "ready to accept read-only connections".
        isReady: (line) => /database system is ready to accept (read-only )?connections/.test(line),
        log: options.log,
      });
      return {
        ...server,
        url: `postgres://roster:${cluster.password}@127.0.0.1:${port}/roster`,
        port,
      };
    } catch (error) {
      if (binaries.scratchDir) await rm(binaries.scratchDir, { recursive: true, force: true });
      if (!(error instanceof LaunchFailure)) throw error;
      // Backends of a killed server run, and keep its shared memory, until they detect its exit.
      if (error.mentions('pre-existing shared memory block') && Date.now() < orphansDeadline) {
        await delay(250);
        continue;
      }
      if (!error.mentions('Address already in use')) throw error;
      if (options.port !== undefined) {
        throw new Error(
          `PostgreSQL cannot listen on 127.0.0.1:${port}: the port is already in use.`,
          {
            cause: error,
          },
        );
      }
      if (attempt === portAttemptsMax) throw error;
    }
  }
}

function serverSettings({ durable = true, settings }: PostgresOptions, port: number): string[] {
  const all = {
    listen_addresses: '127.0.0.1',
    port: String(port),
    unix_socket_directories: '',
    max_connections: '200',
    logging_collector: 'off',
    log_destination: 'stderr',
    log_timezone: 'UTC',
    // Statements that fail, and the details of errors, contain values of users.
    log_min_error_statement: 'panic',
    log_error_verbosity: 'terse',
    timezone: 'UTC',
    // After a crash, PostgreSQL syncs its data before it recovers: with one call instead of one for each of its 1,500 files.
    ...(process.platform === 'linux' && { recovery_init_sync_method: 'syncfs' }),
    ...(durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }),
    ...settings,
  };
  return Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
