import { Slots } from '@roster/bus';
import { explainListening, http, type Log } from '@roster/service';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Application } from './application.js';
import { answerMalformed, malformationOf, type Malformation } from './malformed-request.js';
import type { HttpObserver } from '../observation/metrics.js';
import type { RefusalWriter } from '../refusal/refusal-writer.js';

/** A load balancer commonly keeps idle connections for 60 s, and must be the one that closes them. */
const keepAliveTimeout = 65_000;
const headersTimeout = 10_000;
const requestTimeout = 30_000;
const connectionsCheckingInterval = 2_000;
/** On shutdown: how long idle connections may still bring a request that was on its way. */
const idleGraceMs = 500;
/** On shutdown: when requests that are still in flight are given up. */
const drainMs = 8_000;

export interface HttpServerOptions {
  port: number;
  host: string;
  log: Log;
  observer: HttpObserver;
  refusals: RefusalWriter;
  upgrade: Upgrade;
  /** Aborted some time before `stop`: from then on each connection is closed with its next answer, so that few are idle at the end. */
  stopping: AbortSignal;
}

/** Where requests may ask for a WebSocket, and who takes the connection then. */
export interface Upgrade {
  path: string;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpServer {
  port: number;
  /** Accepts no more, answers every request that was accepted, closes. */
  stop(): Promise<void>;
}

/** Listens. A request that is not valid HTTP is answered too. */
export async function openHttpServer(
  app: Application,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { port, host, log, observer, refusals, upgrade, stopping } = options;
  const handle = app.callback();
  let closing = false;
  const server = http.createServer(
    // Host is checked below: Node would answer without a body.
    {
      keepAliveTimeout,
      headersTimeout,
      requestTimeout,
      connectionsCheckingInterval,
      // What has no body needs no stream for it.
      optimizeEmptyRequests: true,
      requireHostHeader: false,
      // Whatever else a request would upgrade to, it is answered as it stands.
      shouldUpgradeCallback: ({ headers, url }) =>
        headers.upgrade?.toLowerCase() === 'websocket' && url?.split('?')[0] === upgrade.path,
    },
    take,
  );
  const inFlight = new Slots<ServerResponse>();

  function take(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.host === undefined && request.httpVersionMinor === 1)
      return refuse('bad_request', request.socket);
    if (closing || stopping.aborted) response.shouldKeepAlive = false;
    const slot = inFlight.put(response);
    void handle(request, response).finally(() => inFlight.free(slot));
  }

  function refuse(code: Malformation, socket: Socket): void {
    const status = answerMalformed(socket, code, refusals);
    if (status === undefined) return;
    log.info({ status }, 'rejected a malformed request');
    observer.answered('none', status, 0);
  }

  server.on('upgrade', upgrade.take);
  // Other expectations than 100-continue may be ignored; Node would answer 417 without a body.
  server.on('checkExpectation', take);
  server.on('connect', (_, socket) => refuse('method_not_allowed', socket as Socket));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    refuse(malformationOf(error), socket as Socket),
  );
  await listen(server, port, host);

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      closing = true;
      app.admission.release();
      for (const response of inFlight.items()) response.shouldKeepAlive = false;
      // http.Server's own close() destroys idle connections at once, and with them requests just arriving.
      const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
      const started = performance.now();
      const sweep = setInterval(() => {
        const elapsedMs = performance.now() - started;
        if (elapsedMs > drainMs) server.closeAllConnections();
        else if (elapsedMs > idleGraceMs) server.closeIdleConnections();
      }, 50);
      await closed;
      clearInterval(sweep);
    },
  };
}

function listen(server: TcpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListening(error, 'PORT', port, 'HOST', host)));
    server.listen({ port, host, backlog: 1024 }, resolve);
  });
}
