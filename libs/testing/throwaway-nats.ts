import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EmbeddedServer, startNats } from '@roster/embedded';
import { eventually } from './eventually.js';

export interface ThrowawayNats extends EmbeddedServer {
  dataDir: string;
  /** Stops the server if it is running, and starts it again on the same port and data. */
  restart(): Promise<void>;
  /** From now on, until a restart, only these users may connect. Resolves when the server has applied that. */
  allowOnly(...users: NatsUser[]): Promise<void>;
  /** From now on, until a restart, clients must use TLS, with a certificate of the authority. Paths of PEM files. */
  requireTls(files: { cert: string; key: string; ca: string }): Promise<void>;
}

export type NatsUser = ({ user: string; password: string } | { nkey: string }) & {
  /** As in the configuration of NATS, for example `{ publish: { deny: ['a.b'] } }`. Default: everything is allowed. */
  permissions?: object;
};

/**
 * A new NATS server with empty data. `stop()` removes the data; `kill()` keeps it for `restart()`. It is started even
 * if `NATS_URL` is set, because tests kill it.
 */
export async function throwawayNats(): Promise<ThrowawayNats> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roster-test-nats-'));
  let reloads = 0;
  const log = (line: string) => {
    if (line.includes('Reloaded server configuration')) reloads += 1;
  };
  let server = await startNats({ dataDir, log });
  const { url, port } = server;
  const configure = async (changes: object) => {
    const file = join(dataDir, 'nats.conf');
    const config = JSON.parse(await readFile(file, 'utf8')) as object;
    await writeFile(file, JSON.stringify({ ...config, ...changes }));
    const before = reloads;
    server.kill('SIGHUP');
    await eventually(() => reloads > before, { describe: 'a reload of the configuration' });
  };
  return {
    url,
    port,
    dataDir,
    get pid() {
      return server.pid;
    },
    get exited() {
      return server.exited;
    },
    kill(signal) {
      server.kill(signal);
    },
    async restart() {
      await server.stop();
      server = await startNats({ dataDir, port, log });
    },
    allowOnly: (...users) => configure({ authorization: { users } }),
    requireTls: ({ cert, key, ca }) =>
      configure({ tls: { cert_file: cert, key_file: key, ca_file: ca, verify: true } }),
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
