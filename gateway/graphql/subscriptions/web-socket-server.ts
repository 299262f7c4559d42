import { steadyNow } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer as Sockets, type WebSocket } from 'ws';
import { clientAddress } from '../../http/connections/client-address.js';
import { networkOf } from '../../http/connections/network-of.js';
import { authenticate, authenticateClient } from '../../http/callers/authenticate.js';
import { makeRequestId, makeTraceparent, requestIdOf } from '../../http/exchange/trace.js';
import type { RefuseUpgrade } from '../../http/server/server.js';
import { makeContext, type GraphqlContext } from '../context.js';
import { errorOf } from '../errors.js';
import type { EventStreamOptions } from './answer-event-stream.js';
import { prepareSubscription } from './prepare-subscription.js';
import { subscribeSafely } from './subscribe-safely.js';
import { boundUnread } from './bound-unread.js';
import type { OpenWebSocket, OpenWebSockets } from './open-web-sockets.js';
import { lastResultMs, subscriptionLimits } from './subscription-limits.js';
import { eventsFor, positionFor, type Subscriber } from './subscriber.js';

/** Close codes of graphql-ws and RFC 6455: clients reconnect after some of them. */
const closeCodes = {
  unauthenticated: 4401,
  forbidden: 4403,
  silent: 4408,
  goingAway: 1001,
  tryAgainLater: 1013,
} as const;

/** On shutdown: time for clients to complete the closing handshake. */
const shutdownMs = 2000;

export interface WebSocketOptions extends EventStreamOptions {
  webSockets: OpenWebSockets;
}

/** State that graphql-ws keeps for a connection. */
type ConnectionState = Record<PropertyKey, unknown> & { subscriber?: Subscriber };

/**
 * Subscriptions over WebSocket. https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 *
 * Browsers cannot set headers of a WebSocket request, so the key is part of the payload of `connection_init`:
 * `{"authorization": "Bearer rsk_…"}`. Other clients may send the header instead.
 */
export class WebSocketServer {
  readonly #sockets: Sockets;
  readonly #options: WebSocketOptions;
  /** By request. */
  readonly #slots = new WeakMap<IncomingMessage, OpenWebSocket>();
  /** By request: how to reject an invalid WebSocket handshake. */
  readonly #refusals = new WeakMap<IncomingMessage, RefuseUpgrade>();
  /** By request: its ID, in the response that completes the handshake and in the log. */
  readonly #requestIds = new WeakMap<IncomingMessage, string>();
  #stopped = false;

  constructor(options: WebSocketOptions) {
    this.#options = options;
    this.#sockets = new Sockets({
      noServer: true,
      maxPayload: subscriptionLimits.requestBytes,
      autoPong: false,
      // Documented by ws, and missing in its types.
      ...{ closeTimeout: lastResultMs },
      handleProtocols: (protocols) =>
        protocols.has('graphql-transport-ws') ? 'graphql-transport-ws' : false,
    });
    this.#sockets.on('headers', (lines, request) =>
      lines.push(`X-Request-Id: ${this.#requestIds.get(request)!}`),
    );
    this.#sockets.on('wsClientError', ({ message }, _socket, request) =>
      this.#refusals.get(request)!('bad_request', `${message}.`),
    );
    useServer<Record<string, unknown> | undefined, ConnectionState>(
      {
        // The deadline of graphql-ws would leave the client the time of a closing handshake.
        connectionInitWaitTimeout: 0,
        onConnect: async ({ connectionParams, extra }) => {
          const header = extra.request.headers.authorization;
          const param = connectionParams?.['authorization'] ?? connectionParams?.['Authorization'];
          const authorization = typeof param === 'string' ? param : header;
          return this.#connect(extra, extra.socket, extra.request, authorization);
        },
        onSubscribe: async ({ extra, subscriptions }, id, payload) => {
          const context = this.#contextOf(extra.subscriber!);
          if (id.length > subscriptionLimits.idLength)
            return [
              errorOf(
                new Fault('invalid', 'The ID of the operation is too long.'),
                context.requestId,
              ),
            ];
          if (Object.keys(subscriptions).length > subscriptionLimits.operations)
            return [errorOf(tooManyOperations(), context.requestId)];
          const errors = await this.#admit(extra.subscriber!, context);
          return errors ?? prepareSubscription(payload, context, options);
        },
        subscribe: (args) => subscribeSafely(args, options.log),
      },
      this.#sockets,
    );
  }

  /** Completes the upgrade of a connection, unless too many are open or its origin is not allowed. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    if (this.#stopped) return refuse('unavailable');
    const { webSockets, proxies, origins } = this.#options;
    const requestId = requestIdOf(request.headers['x-request-id']);
    this.#requestIds.set(request, requestId);
    const traceparent = makeTraceparent(request.headers['traceparent']);
    const slot = webSockets.open(networkOf(proxies.addressOf(request)));
    if (slot === 'rate_limited')
      return refuse(slot, 'Too many WebSockets of this address have no verified key yet.', 1);
    if (slot === 'unavailable') return refuse(slot, 'Too many WebSockets are open.', 1);
    this.#slots.set(request, slot);
    // Also if its origin is not allowed, or the handshake invalid.
    socket.once('close', () => slot.close());
    const isAllowed = origins.allowsSocket(request, { requestId, traceparent });
    const open = (allowed: boolean) =>
      allowed
        ? this.#open(request, socket, head, refuse)
        : refuse('bad_request', 'The origin is not allowed.');
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

  #open(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    // The gateway may have begun to stop while the origin was looked up.
    if (this.#stopped) return refuse('unavailable');
    this.#refusals.set(request, refuse);
    const slot = this.#slots.get(request)!;
    this.#sockets.handleUpgrade(request, socket, head, (opened) => {
      slot.awaitKey(() => this.#endSilent(opened));
      boundUnread(opened, {
        unread: this.#options.unread,
        workspaceOf: () => slot.workspaceId,
        onExceeded: () => this.#closeUnread(opened),
      });
      this.#sockets.emit('connection', opened, request);
      // Instead of printing it, as graphql-ws does. The connection is closed by ws, with 1009 for a message that is too large.
      opened.removeAllListeners('error');
      opened.on('error', (error) => this.#options.log.debug({ err: error }, 'WebSocket failed'));
    });
  }

  /** Closes all connections with 1001, so that clients connect to another process. Further upgrades are answered 503. */
  async stop(): Promise<void> {
    // First, because a connection opened during the shutdown would never be closed and delay the server's end.
    this.#stopped = true;
    this.#sockets.close();
    const clients = [...this.#sockets.clients];
    for (const socket of clients)
      socket.close(closeCodes.goingAway, 'the gateway is shutting down');
    const timer = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, shutdownMs);
    await Promise.all(clients.map(closed));
    clearTimeout(timer);
  }

  /** At once: until its connection has ended, the WebSocket takes the place of one with a key. */
  #endSilent(socket: WebSocket): void {
    this.#options.webSockets.refused('silent');
    socket.close(closeCodes.silent, 'Connection initialisation timeout');
    socket.terminate();
  }

  #closeUnread(socket: WebSocket): void {
    this.#options.webSockets.refused('unread');
    socket.close(closeCodes.tryAgainLater, 'unread messages');
  }

  /** @returns the payload of the acknowledgement; `after`, after which a client resumes that has received no event yet */
  async #connect(
    state: ConnectionState,
    socket: WebSocket,
    request: IncomingMessage,
    authorization: string | undefined,
  ): Promise<boolean | { after: string }> {
    const slot = this.#slots.get(request)!;
    slot.keySent();
    const requestId = this.#requestIds.get(request)!;
    const traceparent = makeTraceparent(request.headers['traceparent']);
    const { log, proxies } = this.#options;
    const origin = { requestId, traceparent, address: clientAddress(proxies, request) };
    try {
      const caller = await authenticateClient(this.#options, request, authorization, origin);
      if (!this.#options.origins.allowsCaller(request, caller)) {
        socket.close(closeCodes.forbidden, 'origin not allowed');
        return false;
      }
      slot.assign(caller);
      const disconnect = () => socket.terminate();
      state.subscriber = { caller, authorization, ...origin, disconnect };
      const { workspaceId, keyId } = caller;
      const after = await positionFor(caller, this.#options.bus);
      log.info({ requestId, workspaceId, keyId }, 'WebSocket opened');
      return after === undefined || { after };
    } catch (error) {
      if (!(error instanceof Fault))
        log.error({ err: error, requestId }, 'failed to open a WebSocket');
      if (error instanceof Fault && error.code === 'rate_limited')
        this.#options.webSockets.refused('rate_limited');
      const isInvalidKey = error instanceof Fault && error.code === 'unauthenticated';
      const code = isInvalidKey ? closeCodes.unauthenticated : closeCodes.tryAgainLater;
      socket.close(code, error instanceof Fault ? error.code : 'internal');
      return false;
    }
  }

  /** Verifies the key for each subscription, because it may be revoked while the connection is open. */
  async #admit(
    { authorization, caller, ...origin }: Subscriber,
    { requestId }: GraphqlContext,
  ): Promise<GraphQLError[] | undefined> {
    const { keys, rateLimiter } = this.#options;
    try {
      await authenticate(keys, authorization, origin);
      rateLimiter.take(caller);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return [errorOf(error, requestId)];
      throw error;
    }
  }

  #contextOf(subscriber: Subscriber): GraphqlContext {
    const { client, timeoutMs } = this.#options;
    const { caller, traceparent, address } = subscriber;
    const requestId = makeRequestId();
    const deadline = steadyNow() + timeoutMs;
    const request = { caller, requestId, traceparent, deadline, address };
    return makeContext(client, request, eventsFor({ ...subscriber, requestId }, this.#options));
  }
}

const tooManyOperations = () =>
  new Fault(
    'rate_limited',
    `A WebSocket can have at most ${subscriptionLimits.operations} operations.`,
    { retryAfterSeconds: 5 },
  );

const closed = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));
