import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that is currently free.
 *
 * It lies below the ranges of ephemeral ports: while a server is down, no outgoing connection can occupy its port,
 * and no client that keeps reconnecting can connect to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () =>
      probe.close(() => resolve(true)),
    );
  });
}
