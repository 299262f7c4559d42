import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { http } from './node-http.js';

/** Whether something this process needs is there. A check that throws or takes longer than a second says no. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

const checkMs = 1000;

/** `/healthz` (alive), `/readyz` (what it needs is reachable) and `/metrics` on a port of their own. */
export class AdminServer {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #server: Server;
  #stopping = false;

  private constructor(metrics: Registry) {
    this.#server = http.createServer((request, response) => {
      const answer = (status: number, body: string, type = 'application/json') =>
        response.writeHead(status, { 'content-type': type }).end(body);
      const path = request.url?.split('?')[0];
      if (path === '/healthz') return answer(200, '{"status":"ok"}');
      if (path === '/readyz') {
        return void this.#readiness().then(({ ready, checks }) =>
          answer(
            ready ? 200 : 503,
            JSON.stringify({ status: ready ? 'ok' : 'unavailable', checks }),
          ),
        );
      }
      if (path === '/metrics') {
        return void metrics.metrics().then(
          (text) => answer(200, text, metrics.contentType),
          () => answer(500, '{"status":"error"}'),
        );
      }
      return answer(404, '{"status":"not found"}');
    });
  }

  static async open(metrics: Registry, port: number, host: string): Promise<AdminServer> {
    const admin = new AdminServer(metrics);
    await new Promise<void>((resolve, reject) => {
      admin.#server.once('error', reject).listen(port, host, resolve);
    });
    return admin;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Not ready from now on: load balancers take us out while we finish. */
  stopping(): void {
    this.#stopping = true;
  }

  readonly requires = (name: string, check: ReadinessCheck): void =>
    void this.#checks.set(name, check);

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #readiness(): Promise<{ ready: boolean; checks: Record<string, boolean> }> {
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await inTime(check)] as const),
    );
    return {
      ready: !this.#stopping && entries.every(([, ok]) => ok),
      checks: Object.fromEntries(entries),
    };
  }
}

async function inTime(check: ReadinessCheck): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, checkMs, false)));
  try {
    return await Promise.race([check(), late]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}
