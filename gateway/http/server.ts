import { http, type Log } from '@roster/service';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Server as TcpServer, type AddressInfo, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { Application } from './application.js';
import { answerMalformed, malformationOf } from './malformed-request.js';
import { InWork } from './in-work.js';
import type { HttpObserver } from './metrics.js';

/** A load balancer commonly keeps idle connections for 60 s, and must be the one that closes them. */
const keepAliveTimeout = 65_000;
const headersTimeout = 10_000;
const requestTimeout = 30_000;
const connectionsCheckingInterval = 2_000;
/** On shutdown: how long idle connections may still bring a request that was on its way. */
const idleGraceMs = 500;
/** On shutdown: when what is still in work is given up. */
const drainMs = 8_000;

export interface HttpServerOptions {
  port: number;
  host: string;
  log: Log;
  observer: HttpObserver;
  upgrade: Upgrade;
}

/** Where requests may ask for a WebSocket, and who takes the connection then. */
export interface Upgrade {
  path: string;
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

export interface HttpServer {
  port: number;
  /** Accepts no more after `delayMs`, answers every request that was accepted, closes. */
  stop(delayMs: number): Promise<void>;
}

/** Listens. What is no HTTP gets a problem document too. */
export async function openHttpServer(
  app: Application,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { port, host, log, observer, upgrade } = options;
  const handle = app.callback();
  let stopping = false;
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
  const inWork = new InWork();

  function take(request: IncomingMessage, response: ServerResponse): void {
    if (request.headers.host === undefined && request.httpVersionMinor === 1)
      return refuse('bad_request', request.socket);
    if (stopping) response.shouldKeepAlive = false;
    const leave = inWork.enter(response);
    void handle(request, response).finally(leave);
  }

  function refuse(code: Parameters<typeof answerMalformed>[1], socket: Socket): void {
    const status = answerMalformed(socket, code);
    if (status === undefined) return;
    log.info({ status }, 'refused a malformed request');
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
    async stop(delayMs) {
      await delay(delayMs);
      stopping = true;
      app.admission.release();
      for (const response of inWork.responses()) response.shouldKeepAlive = false;
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
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EADDRINUSE') return reject(error);
      reject(
        new Error(`Port ${port} of ${host} is taken by another program. Choose another with PORT.`),
      );
    });
    server.listen({ port, host, backlog: 1024 }, resolve);
  });
}
