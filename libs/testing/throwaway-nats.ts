import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type EmbeddedServer, startNats } from '@roster/embedded';

export interface ThrowawayNats extends EmbeddedServer {
  dataDir: string;
  /** Stops the server if it still runs, and starts it again on the same port and data. */
  restart(): Promise<void>;
}

/**
 * A new NATS server with empty data. `stop()` removes the data; `kill()` keeps it for `restart()`. It is started even
 * if `NATS_URL` is set, because tests kill it.
 */
export async function throwawayNats(): Promise<ThrowawayNats> {
  const dataDir = await mkdtemp(join(tmpdir(), 'roster-test-nats-'));
  let server = await startNats({ dataDir });
  const { url, port } = server;
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
      server = await startNats({ dataDir, port });
    },
    async stop() {
      await server.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
