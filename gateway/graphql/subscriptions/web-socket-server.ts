import { Fault } from '@roster/contracts';
import type { GraphQLError } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer as Sockets, type WebSocket } from 'ws';
import { authenticate } from '../../http/exchange/authenticate.js';
import { makeRequestId, makeTraceparent } from '../../http/exchange/trace.js';
import type { RefuseUpgrade } from '../../http/server/server.js';
import { RequestBudget } from '../request/request-budget.js';
import { RequestOperations } from '../request/request-operations.js';
import type { GraphqlContext } from '../context.js';
import { errorOf } from '../errors.js';
import type { EventStreamOptions } from './answer-event-stream.js';
import { prepareSubscription } from './prepare-subscription.js';
import { subscribeSafely } from './subscribe-safely.js';
import { eventsFor, type Subscriber } from './subscriber.js';

/** Close codes of graphql-ws and RFC 6455. They determine whether a client reconnects. */
const closeCodes = { unauthenticated: 4401, goingAway: 1001, tryAgainLater: 1013 } as const;

/** Time for clients to complete the closing handshake before their connection is destroyed. */
const closeMs = 2000;

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
  readonly #options: EventStreamOptions;
  /** By request: how to reject an invalid WebSocket handshake. */
  readonly #refusals = new WeakMap<IncomingMessage, RefuseUpgrade>();
  #stopped = false;

  constructor(options: EventStreamOptions) {
    this.#options = options;
    this.#sockets = new Sockets({
      noServer: true,
      maxPayload: options.bodyBytesMax,
      handleProtocols: (protocols) =>
        protocols.has('graphql-transport-ws') ? 'graphql-transport-ws' : false,
    });
    this.#sockets.on('wsClientError', ({ message }, _socket, request) =>
      this.#refusals.get(request)!('bad_request', `${message}.`),
    );
    useServer<Record<string, unknown> | undefined, ConnectionState>(
      {
        onConnect: async ({ connectionParams, extra }) => {
          const header = extra.request.headers.authorization;
          const param = connectionParams?.['authorization'] ?? connectionParams?.['Authorization'];
          const authorization = typeof param === 'string' ? param : header;
          return this.#connect(extra, extra.socket, extra.request, authorization);
        },
        onSubscribe: async ({ extra }, _id, payload) => {
          const context = this.#contextOf(extra.subscriber!);
          const errors = await this.#admit(extra.subscriber!, context);
          return errors ?? prepareSubscription(payload, context, options);
        },
        subscribe: (args) => subscribeSafely(args, options.log),
      },
      this.#sockets,
    );
  }

  /** Completes the upgrade of a connection. */
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, refuse: RefuseUpgrade): void {
    if (this.#stopped) return refuse('unavailable');
    this.#refusals.set(request, refuse);
    this.#sockets.handleUpgrade(request, socket, head, (opened) =>
      this.#sockets.emit('connection', opened, request),
    );
  }

  /** Closes all connections with 1001, upon which clients reconnect elsewhere. Further upgrades are answered 503. */
  async stop(): Promise<void> {
    // First, because a connection opened during the shutdown would never be closed and delay the server's end.
    this.#stopped = true;
    this.#sockets.close();
    const clients = [...this.#sockets.clients];
    for (const socket of clients)
      socket.close(closeCodes.goingAway, 'the gateway is shutting down');
    const timer = setTimeout(() => {
      for (const socket of clients) socket.terminate();
    }, closeMs);
    await Promise.all(clients.map(closed));
    clearTimeout(timer);
  }

  async #connect(
    state: ConnectionState,
    socket: WebSocket,
    request: IncomingMessage,
    authorization: string | undefined,
  ): Promise<boolean> {
    const requestId = makeRequestId();
    const traceparent = makeTraceparent(request.headers['traceparent']);
    const ids = { requestId, traceparent };
    const { keys, log } = this.#options;
    try {
      const caller = await authenticate(keys, authorization, ids);
      const disconnect = () => socket.terminate();
      state.subscriber = { caller, authorization, ...ids, disconnect };
      const { workspaceId, keyId } = caller;
      log.info({ requestId, workspaceId, keyId }, 'WebSocket opened');
      return true;
    } catch (error) {
      if (!(error instanceof Fault))
        log.error({ err: error, requestId }, 'failed to open a WebSocket');
      const isInvalidKey = error instanceof Fault && error.code === 'unauthenticated';
      const code = isInvalidKey ? closeCodes.unauthenticated : closeCodes.tryAgainLater;
      socket.close(code, error instanceof Fault ? error.code : 'internal');
      return false;
    }
  }

  /** Verifies the key again for each subscription, because the connection may outlive the key. */
  async #admit(
    { authorization, caller, ...ids }: Subscriber,
    { requestId }: GraphqlContext,
  ): Promise<GraphQLError[] | undefined> {
    const { keys, rateLimiter } = this.#options;
    try {
      await authenticate(keys, authorization, ids);
      rateLimiter.take(caller.keyId);
      return undefined;
    } catch (error) {
      if (error instanceof Fault) return [errorOf(error, requestId)];
      throw error;
    }
  }

  #contextOf(subscriber: Subscriber): GraphqlContext {
    const { client, timeoutMs } = this.#options;
    const { caller, traceparent } = subscriber;
    const requestId = makeRequestId();
    const deadline = Date.now() + timeoutMs;
    const budget = new RequestBudget();
    const request = { caller, requestId, traceparent, deadline };
    return {
      operations: new RequestOperations(client, request, budget),
      budget,
      caller,
      requestId,
      events: eventsFor({ ...subscriber, requestId }, this.#options),
    };
  }
}

const closed = (socket: WebSocket): Promise<unknown> =>
  new Promise((resolve) => socket.once('close', resolve));
