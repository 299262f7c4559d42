import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * A TCP port on 127.0.0.1 that is currently free, and that no other process gets from this function while this one lives:
 * between the choice and the start of a server, minutes can pass.
 *
 * It lies below the ranges of ephemeral ports: while a server is down, no outgoing connection can occupy its port,
 * and no client that keeps reconnecting can connect to itself.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_000);
    if ((await isFree(port)) && (await reserve(port))) return port;
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

/** Holds the UDP port of the same number, which nobody uses and which the system releases when this process ends, however it ends. */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket('udp4').unref();
    socket.once('error', () => resolve(false));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => resolve(true));
  });
}
