import { SlotTable } from '@roster/bus';
import { explainListening, type Log } from '@roster/process';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import type { Duplex } from 'node:stream';
import { awaitRequestForBody } from './body/expected-body.js';
import { Connections } from './connections/connections.js';
import type { TrustedProxies } from './connections/trusted-proxies.js';
import { PipelinedRequests } from './connections/pipelined-requests.js';
import type { Application } from './app.js';
import { hasValidHost, malformationOf, MalformedRequests } from './malformed-requests.js';
import type { HttpObserver } from './observation.js';
import type { RefusalWriter } from './refusal.js';

/** Longer than the 60 s of common load balancers, so that they close idle connections and not the server. */
const keepAliveTimeout = 65_000;
const headersTimeout = 10_000;
const requestTimeout = 30_000;
const connectionsCheckingInterval = 2_000;
/** On shutdown: how long idle connections stay open for requests already in transit. */
const idleGraceMs = 500;
/** On shutdown: how long requests in flight may take before their connections are closed. */
const drainMs = 8_000;

export interface HttpServerOptions {
  port: number;
  host: string;
  log: Log;
  observer: HttpObserver;
  refusals: RefusalWriter;
  upgrade: Upgrade;
  proxies: TrustedProxies;
  connectionsMax: number;
  connectionsPerAddressMax: number;
  /** Aborted some time before `stop`: each connection is then closed with its next response, so that few are idle at the end. */
  stopping: AbortSignal;
}

/** Path that accepts WebSocket upgrades, and their handler. */
export interface Upgrade {
  path: string;
  handle(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void;
}

export type RefuseUpgrade = (
  code: 'bad_request' | 'rate_limited' | 'unavailable',
  detail?: string,
  retryAfterSeconds?: number,
) => void;

export interface HttpServer {
  port: number;
  /** Stops accepting connections, waits for the requests in flight and closes. */
  stop(): Promise<void>;
}

/** Starts the HTTP server. Requests that are not valid HTTP get a response too. */
export async function openHttpServer(
  app: Application,
  options: HttpServerOptions,
): Promise<HttpServer> {
  const { port, host, log, observer, refusals, upgrade, stopping } = options;
  const callback = app.callback();
  let closing = false;
  const server = createNodeServer(upgrade.path);
  const inFlight = new SlotTable<ServerResponse>();
  const connections = openConnections(inFlight, options);
  const pipelined = new PipelinedRequests(() => observer.connectionEnded('pipelining'));
  const malformed = new MalformedRequests({ refusals, log, observer, inFlight, pipelined });

  function handle(request: IncomingMessage, response: ServerResponse): void {
    // The response gets its socket after those to the preceding requests of the connection.
    if (!response.socket) return pipelined.wait(response, () => handle(request, response));
    if (closing || stopping.aborted) response.shouldKeepAlive = false;
    if (!hasValidHost(request)) return malformed.answer(response, 'bad_request');
    const slot = inFlight.put(response);
    void callback(request, response).finally(() => {
      if (response.writableEnded || response.closed) inFlight.free(slot);
      // An event stream.
      else response.once('close', () => inFlight.free(slot));
    });
  }

  server.on('connection', (socket) => connections.open(socket));
  server.on('request', handle);
  server.on('upgrade', (request, socket, head) => {
    connections.upgraded(request.socket);
    const refuse: RefuseUpgrade = (code, detail, retryAfterSeconds) =>
      void malformed.end(socket, code, detail, retryAfterSeconds);
    if (hasValidHost(request)) upgrade.handle(request, socket, head, refuse);
    else refuse('bad_request');
  });
  // Expectations other than 100-continue may be ignored. Node's default is 417 without a body.
  server.on('checkExpectation', handle);
  server.on('checkContinue', (request, response) => {
    awaitRequestForBody(request, response);
    handle(request, response);
  });
  server.on('connect', (_, socket) => void malformed.end(socket, 'method_not_allowed'));
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const code = malformationOf(error);
    // Reported once for a request. Its body has a limit of its own.
    if (code === 'request_timeout' && app.admission.longBodies.has(socket)) return;
    void malformed.end(socket, code);
  });
  await listen(server, port, host);

  return {
    port: (server.address() as AddressInfo).port,
    async stop() {
      closing = true;
      connections.stop();
      app.admission.resumeAll();
      for (const response of inFlight.items()) response.shouldKeepAlive = false;
      await drain(server);
    },
  };
}

function openConnections(
  inFlight: SlotTable<ServerResponse>,
  { proxies, connectionsMax, connectionsPerAddressMax, observer }: HttpServerOptions,
): Connections {
  const connections = new Connections({
    max: connectionsMax,
    perAddressMax: connectionsPerAddressMax,
    isProxy: (address) => proxies.trusts(address),
    busy: () => inFlight.items().map(({ req }) => req.socket),
    onEnded: (reason) => observer.connectionEnded(reason),
  });
  observer.watchConnections(connections);
  return connections;
}

function createNodeServer(upgradePath: string): Server {
  const server = createServer({
    keepAliveTimeout,
    headersTimeout,
    requestTimeout,
    connectionsCheckingInterval,
    // No stream is allocated for requests without a body.
    optimizeEmptyRequests: true,
    // Checked in `handle`, because Node's response has no body.
    requireHostHeader: false,
    // Requests for any other upgrade are handled as ordinary requests (RFC 9110, 7.8).
    shouldUpgradeCallback: ({ method, headers, url }) =>
      method === 'GET' &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      url?.split('?')[0] === upgradePath,
  });
  // A client that has sent its last request may close its direction of the connection, and still reads the responses.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  return server;
}

/** Stops accepting connections. Closes idle ones after `idleGraceMs` and all others after `drainMs`. */
async function drain(server: Server): Promise<void> {
  // http.Server's close() would destroy idle connections immediately, including those with a request in transit.
  const closed = new Promise((resolve) => TcpServer.prototype.close.call(server, resolve));
  const started = performance.now();
  const sweep = setInterval(() => {
    const elapsedMs = performance.now() - started;
    if (elapsedMs > drainMs) server.closeAllConnections();
    else if (elapsedMs > idleGraceMs) server.closeIdleConnections();
  }, 50);
  await closed;
  clearInterval(sweep);
}

function listen(server: TcpServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(explainListening(error, 'PORT', port, 'HOST', host)));
    server.listen({ port, host, backlog: 1024 }, resolve);
  });
}
