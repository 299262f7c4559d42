import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { observeReadiness } from './metrics.js';

/** A check of a dependency. It fails if it throws or takes longer than a second. */
export type ReadinessCheck = () => boolean | Promise<boolean>;

const checkMs = 1000;

/** Serves `/healthz` (alive), `/readyz` (dependencies are reachable) and `/metrics` on a separate port. */
export class AdminServer {
  readonly #checks = new Map<string, ReadinessCheck>();
  readonly #server: Server;
  #status: 'starting' | 'started' | 'stopping' = 'starting';
  #waitingFor: string | undefined;

  private constructor(metrics: Registry) {
    observeReadiness(metrics, () => this.#readiness());
    this.#server = http.createServer((request, response) => {
      const answer = (status: number, body: string, type = 'application/json') =>
        response.writeHead(status, { 'content-type': type }).end(body);
      if (request.method !== 'GET' && request.method !== 'HEAD') {
        response.setHeader('allow', 'GET, HEAD');
        return answer(405, '{"status":"method not allowed"}');
      }
      const path = request.url?.split('?')[0];
      if (path === '/healthz') return answer(200, '{"status":"ok"}');
      if (path === '/readyz') {
        return void this.#readiness().then((readiness) =>
          answer(readiness.status === 'ok' ? 200 : 503, JSON.stringify(readiness)),
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
    }).catch((error: unknown) => {
      throw explainListening(error, 'ADMIN_PORT', port, 'ADMIN_HOST', host);
    });
    return admin;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** The dependency that the start waits for, in one line; undefined if none. */
  waiting(reason: string | undefined): void {
    this.#waitingFor = reason;
  }

  /** From now on the process is ready while all checks pass. */
  started(): void {
    this.#waitingFor = undefined;
    if (this.#status === 'starting') this.#status = 'started';
  }

  /** From now on the process is not ready: load balancers stop sending requests while it finishes. */
  stopping(): void {
    this.#status = 'stopping';
  }

  readonly requires = (name: string, check: ReadinessCheck): void =>
    void this.#checks.set(name, check);

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #readiness(): Promise<Readiness> {
    // Not all checks are registered yet.
    if (this.#status === 'starting')
      return { status: 'starting', checks: {}, waitingFor: this.#waitingFor ?? null };
    const entries = await Promise.all(
      [...this.#checks].map(async ([name, check]) => [name, await inTime(check)] as const),
    );
    const checks = Object.fromEntries(entries);
    // Read again: the process may have begun to stop meanwhile.
    if (this.#hasStopped()) return { status: 'stopping', checks };
    return { status: entries.every(([, ok]) => ok) ? 'ok' : 'unavailable', checks };
  }

  #hasStopped(): boolean {
    return this.#status === 'stopping';
  }
}

/** Response of `/readyz`: status 200 if `ok`, otherwise 503. */
interface Readiness {
  status: 'starting' | 'ok' | 'unavailable' | 'stopping';
  checks: Record<string, boolean>;
  /** While starting. */
  waitingFor?: string | null;
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

/**
 * `node:http` by require. An import evaluates all its exports, of which `WebSocket` makes Node load its HTTP client: 2 MiB
 * per process.
 */
export const http = process.getBuiltinModule('node:http');

interface Problem {
  what: string;
  /** Which of the two variables to correct. */
  change: 'port' | 'host';
}

const problems: Record<string, Problem> = {
  EADDRINUSE: { what: 'is already in use', change: 'port' },
  EACCES: { what: 'requires privileges that this user does not have', change: 'port' },
  EADDRNOTAVAIL: { what: 'is not an address of this machine', change: 'host' },
  ENOTFOUND: { what: 'has no address', change: 'host' },
  EAI_AGAIN: { what: 'has no address', change: 'host' },
};

/** Describes the error in one line that names the variable to correct. Other errors are returned unchanged. */
export function explainListening(
  error: unknown,
  portName: string,
  port: number,
  hostName: string,
  host: string,
): unknown {
  const { what, change } = problems[(error as NodeJS.ErrnoException).code ?? ''] ?? {};
  if (what === undefined) return error;
  return new CannotListen(
    change === 'port'
      ? `Port ${port} of ${host} ${what}. Choose another with ${portName}.`
      : `Host ${host} ${what}. Choose another with ${hostName}.`,
  );
}

/** The message is complete without a stack. */
export class CannotListen extends Error {
  override readonly name = 'CannotListen';
}
