import { Fault } from '@roster/contracts';
import { CloseCode, GRAPHQL_TRANSPORT_WS_PROTOCOL, type Server } from 'graphql-ws';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer as Sockets, type WebSocket } from 'ws';
import { originRefused } from '../../http/callers/allowed-origins.js';
import { networkOf } from '../../http/connections/trusted-proxies.js';
import { requestIdOf, untracedSocket } from '../../http/trace.js';
import type { RefuseUpgrade } from '../../http/server.js';
import type { OpenWebSocket } from './open-web-sockets.js';
import { lastResultMs, subscriptionLimits } from './subscription-limits.js';
import { boundedSender } from './unread.js';
import {
  tryAgainLater,
  webSocketProtocol,
  type Opened,
  type WebSocketOptions,
} from './web-socket-protocol.js';

const goingAway = 1001;
const internalError = 1011;
/** How often a client is sent a ping, and how long it has to answer. */
const pingMs = 12_000;
/** On shutdown: time for clients to complete the closing handshake. */
const shutdownMs = 2000;

/** A request for a WebSocket. */
interface UpgradeRequest {
  refuse: RefuseUpgrade;
  /** In the response that completes the handshake and in the log. */
  requestId: string;
  slot: OpenWebSocket;
}

/** The WebSockets of this process: opens them within the limits, and closes them. */
export class WebSocketServer {
  readonly #sockets: Sockets;
  readonly #options: WebSocketOptions;
  readonly #protocol: Server<Opened>;
  readonly #requests = new WeakMap<IncomingMessage, UpgradeRequest>();
  #stopped = false;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#protocol = webSocketProtocol(options);
    this.#sockets = new Sockets({
      noServer: true,
      maxPayload: subscriptionLimits.requestBytes,
      autoPong: false,
      // Documented by ws, and missing in its types.
      ...{ closeTimeout: lastResultMs },
      handleProtocols: (protocols) =>
        protocols.has(GRAPHQL_TRANSPORT_WS_PROTOCOL) && GRAPHQL_TRANSPORT_WS_PROTOCOL,
    });
    this.#sockets.on('headers', (lines, request) =>
      lines.push(`X-Request-Id: ${this.#requests.get(request)!.requestId}`),
    );
    this.#sockets.on('wsClientError', ({ message }, _socket, request) =>
      this.#requests.get(request)!.refuse('bad_request', `${message}.`),
    );
  }

  /** Completes the upgrade of a connection, unless too many are open or its origin is not allowed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    if (this.#stopped) return refuse('unavailable');
    const { webSockets, proxies, origins } = this.#options;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const traceparent = untracedSocket(request.headers['traceparent']);
    const slot = webSockets.open(networkOf(proxies.addressOf(request)));
    if (slot === 'rate_limited')
      return refuse(slot, 'Too many WebSockets of this address have no verified key yet.', 1);
    if (slot === 'unavailable') return refuse(slot, 'Too many WebSockets are open.', 1);
    this.#requests.set(request, { refuse, requestId, slot });
    // Also if its origin is not allowed, or the handshake invalid.
    socket.once('close', () => slot.close());
    const isAllowed = origins.allowsSocket(request, { requestId, traceparent });
    const open = (allowed: boolean) =>
      allowed
        ? this.#open(request, socket, head)
        : refuse('bad_request', originRefused(request.headers.origin!));
    if (!(isAllowed instanceof Promise)) return open(isAllowed);
    const onError = () => socket.destroy();
    socket.on('error', onError);
    isAllowed.then(
      (allowed) => {
        socket.off('error', onError);
        if (!socket.destroyed) open(allowed);
      },
      (error: unknown) => {
        if (error instanceof Fault && error.code === 'rate_limited')
          return refuse(error.code, error.message, error.details.retryAfterSeconds);
        refuse('unavailable', 'The origin could not be checked. Try again later.');
      },
    );
  }

  /** Closes all connections with 1001, so that clients connect to another process. Further upgrades are answered 503. */
  async stop(): Promise<void> {
    // First, because a connection opened during the shutdown would never be closed and delay the server's end.
    this.#stopped = true;
    this.#sockets.close();
    const clients = [...this.#sockets.clients];
    for (const socket of clients) socket.close(goingAway, 'the gateway is shutting down');
    const timer = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, shutdownMs);
    await Promise.all(clients.map(closed));
    clearTimeout(timer);
  }

  #open(request: IncomingMessage, duplex: Duplex, head: Buffer): void {
    const { refuse, requestId, slot } = this.#requests.get(request)!;
    // The gateway may have begun to stop while the origin was looked up.
    if (this.#stopped) return refuse('unavailable');
    this.#sockets.handleUpgrade(request, duplex, head, (socket) => {
      const { log, unread } = this.#options;
      slot.awaitKey(() => this.#endSilent(socket));
      const send = boundedSender(socket, {
        unread,
        workspaceOf: () => slot.workspaceId,
        onExceeded: () => this.#closeUnread(socket),
      });
      // The connection is closed by ws, with 1009 for a message that is too large.
      socket.on('error', (error) => log.debug({ err: error }, 'WebSocket failed'));
      const ended = this.#protocol.opened(
        {
          protocol: socket.protocol,
          send,
          close: (code, reason) => socket.close(code, reason),
          onMessage(handle) {
            socket.on('message', (data: Buffer) => {
              handle(data.toString()).catch((error: unknown) => {
                log.error({ err: error, requestId }, 'failed to handle a message of a WebSocket');
                socket.close(internalError, 'internal');
              });
            });
          },
        },
        { socket, request, requestId, slot },
      );
      const stopPings = keepAlive(socket);
      socket.once('close', (code, reason) => {
        stopPings();
        void ended(code, String(reason));
      });
    });
  }

  /** At once: until its connection has ended, the WebSocket takes the place of one with a key. */
  #endSilent(socket: WebSocket): void {
    this.#options.webSockets.refused('silent');
    socket.close(CloseCode.ConnectionInitialisationTimeout, 'Connection initialisation timeout');
    socket.terminate();
  }

  #closeUnread(socket: WebSocket): void {
    this.#options.webSockets.refused('unread');
    socket.close(tryAgainLater, 'unread messages');
  }
}

/** Ends the connection of a client that does not answer a ping until the next one. */
function keepAlive(socket: WebSocket): () => void {
  let isAnswered = true;
  socket.on('pong', () => (isAnswered = true));
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return;
    if (!isAnswered) return socket.terminate();
    isAnswered = false;
    socket.ping();
  }, pingMs);
  return () => clearInterval(timer);
}

const closed = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));
