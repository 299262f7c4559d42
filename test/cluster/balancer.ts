import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@roster/testing';

export interface Backend {
  port: number;
  adminPort: number;
}

const probeEveryMs = 100;
const probeTimeoutMs = 5000;
/** A backend leaves the rotation when it reports that it is not ready, or after this many failed probes. It returns when it is ready. */
const silencesMax = 3;

/**
 * Balances like a Service of Kubernetes: new connections are distributed in turn among the backends whose `/readyz` answers 200.
 * Established connections are kept. A connection to an unreachable backend fails, without a retry on another one.
 */
export class Balancer {
  readonly #backends: (Backend & { silences: number })[];
  readonly #server: Server;
  readonly #closing = new AbortController();
  readonly #sockets = new Set<Socket>();
  #turn = 0;

  private constructor(backends: readonly Backend[]) {
    this.#backends = backends.map((backend) => ({ ...backend, silences: silencesMax }));
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) =>
      this.#forward(client),
    );
    for (const backend of this.#backends) void this.#keepProbing(backend);
  }

  static async open(backends: readonly Backend[]): Promise<Balancer> {
    const balancer = new Balancer(backends);
    await new Promise<void>((resolve) => balancer.#server.listen(0, '127.0.0.1', resolve));
    return balancer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  /** Resolves when every backend is in the rotation. */
  async allReady(): Promise<void> {
    await eventually(() => this.#backends.every(({ silences }) => silences === 0), {
      describe: 'the balancer to find every backend ready',
    });
  }

  async #keepProbing(backend: Backend & { silences: number }): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      const ready = await readiness(backend.adminPort);
      backend.silences = ready ? 0 : ready === false ? silencesMax : backend.silences + 1;
      await delay(probeEveryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #forward(client: Socket): void {
    const ready = this.#backends.filter(({ silences }) => silences < silencesMax);
    const backend = ready[this.#turn++ % ready.length];
    if (!backend) return void client.resetAndDestroy();
    const server = connect({
      port: backend.port,
      host: '127.0.0.1',
      allowHalfOpen: true,
      noDelay: true,
    });
    client.pipe(server).pipe(client);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.on('error', () => other.resetAndDestroy());
      socket.on('close', () => this.#sockets.delete(socket));
    }
  }
}

export const isReady = async (adminPort: number): Promise<boolean> =>
  (await readiness(adminPort)) === true;

/** Undefined if there is no response in time. */
async function readiness(adminPort: number): Promise<boolean | undefined> {
  try {
    const response = await fetch(`http://127.0.0.1:${adminPort}/readyz`, {
      signal: AbortSignal.timeout(probeTimeoutMs),
    });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return undefined;
  }
}
