import { steadyNow } from '@roster/bus';
import { Fault } from '@roster/contracts';
import { tracer, type Span } from '@roster/telemetry';
import { GraphQLError } from 'graphql';
import { CloseCode, makeServer, type Server } from 'graphql-ws';
import type { IncomingMessage } from 'node:http';
import type { WebSocket } from 'ws';
import { originRefused } from '../../http/callers/allowed-origins.js';
import { authenticate, authenticateClient } from '../../http/callers/authenticate.js';
import { clientAddress } from '../../http/connections/trusted-proxies.js';
import { beginRequestSpan } from '../../http/request-span.js';
import { makeRequestId, untracedSocket } from '../../http/trace.js';
import { makeContext, type GraphqlContext } from '../context.js';
import { errorOf, withIds } from '../errors.js';
import type { EventStreamOptions } from './answer-event-stream.js';
import { prepareSubscription, subscribeSafely } from './execute-subscription.js';
import type { OpenWebSocket, OpenWebSockets } from './open-web-sockets.js';
import { eventsFor, positionFor, type Subscriber } from './subscriber.js';
import { subscriptionLimits } from './subscription-limits.js';

export interface WebSocketOptions extends EventStreamOptions {
  webSockets: OpenWebSockets;
}

/** A WebSocket and the request that opened it. */
export interface Opened {
  socket: WebSocket;
  request: IncomingMessage;
  requestId: string;
  slot: OpenWebSocket;
  /** Once the key is verified. */
  subscriber?: Subscriber;
}

/**
 * The protocol of subscriptions over WebSocket. https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 *
 * Browsers cannot set headers of a WebSocket request, so the key is part of the payload of `connection_init`:
 * `{"authorization": "Bearer rsk_…"}` or `{"headers": {"authorization": "Bearer rsk_…"}}`. Other clients may send the header instead.
 */
export function webSocketProtocol(options: WebSocketOptions): Server<Opened> {
  const spans = new WeakMap<GraphqlContext, Span>();
  const end = (context: GraphqlContext) => {
    spans.get(context)?.end();
    spans.delete(context);
  };
  return makeServer<Record<string, unknown> | undefined, Opened>({
    // The deadline of graphql-ws would leave the client the time of a closing handshake.
    connectionInitWaitTimeout: 0,
    onConnect: ({ connectionParams, extra }) => {
      const header = extra.request.headers.authorization;
      return identify(extra, authorizationIn(connectionParams) ?? header, options);
    },
    onSubscribe: async ({ extra, subscriptions }, id, payload) => {
      const subscriber = extra.subscriber!;
      const span = tracer && beginRequestSpan(tracer, operation, extra.request);
      const context = contextOf(subscriber, options, span);
      if (span) spans.set(context, span);
      const refuse = (fault: Fault) => {
        end(context);
        return [showFault(fault, context)];
      };
      if (id.length > subscriptionLimits.idLength)
        return refuse(new Fault('invalid', 'The ID of the operation is too long.'));
      if (Object.keys(subscriptions).length > subscriptionLimits.operations)
        return refuse(tooManyOperations());
      const fault = await admit(subscriber, options);
      if (fault) return refuse(fault);
      const prepared = prepareSubscription(payload, context, options);
      if (!('schema' in prepared)) end(context);
      return prepared;
    },
    async subscribe(args) {
      try {
        return await subscribeSafely(args, options.log);
      } finally {
        end(args.contextValue as GraphqlContext);
      }
    },
  });
}

/** In metrics, logs and traces. */
const operation = 'graphql.subscribe';

/** Clients send the header as a parameter, or with others in `headers`, in upper or lower case. */
function authorizationIn(params: Record<string, unknown> | undefined): string | undefined {
  const headers = params?.['headers'];
  const given = { ...(typeof headers === 'object' ? headers : {}), ...params };
  const [, value] =
    Object.entries(given).findLast(([name]) => name.toLowerCase() === 'authorization') ?? [];
  return typeof value === 'string' ? value : undefined;
}

/** @returns the payload of the acknowledgement; `after`, after which a client resumes that has received no event yet */
async function identify(
  opened: Opened,
  authorization: string | undefined,
  options: WebSocketOptions,
): Promise<boolean | { after: string }> {
  const { socket, request, requestId, slot } = opened;
  slot.keySent();
  const traceparent = untracedSocket(request.headers['traceparent']);
  const { bus, log, origins, proxies, webSockets } = options;
  const origin = { requestId, traceparent, address: clientAddress(proxies, request) };
  try {
    const caller = await authenticateClient(options, request, authorization, origin);
    if (!origins.allowsCaller(request, caller)) {
      const { workspaceId, keyId } = caller;
      const reason = originRefused(request.headers.origin!);
      log.info({ requestId, workspaceId, keyId, reason }, 'WebSocket refused');
      socket.close(CloseCode.Forbidden, 'origin not allowed: add it with PUT /v1/origins');
      return false;
    }
    slot.assign(caller);
    opened.subscriber = { caller, authorization, ...origin, disconnect: () => socket.terminate() };
    const { workspaceId, keyId } = caller;
    const after = await positionFor(caller, bus);
    log.info({ requestId, workspaceId, keyId }, 'WebSocket opened');
    return after === undefined || { after };
  } catch (error) {
    const code = error instanceof Fault ? error.code : 'internal';
    if (code === 'internal') log.error({ err: error, requestId }, 'failed to open a WebSocket');
    if (code === 'rate_limited') webSockets.refused('rate_limited');
    socket.close(code === 'unauthenticated' ? CloseCode.Unauthorized : tryAgainLater, code);
    return false;
  }
}

/** Clients that are configured to retry reconnect after it. */
export const tryAgainLater = 1013;

/** Verifies the key for each subscription, because it may be revoked while the connection is open. */
async function admit(
  { authorization, caller, ...origin }: Subscriber,
  { keys, rateLimiter }: WebSocketOptions,
): Promise<Fault | undefined> {
  try {
    await authenticate(keys, authorization, origin);
    rateLimiter.take(caller);
    return undefined;
  } catch (error) {
    if (error instanceof Fault) return error;
    throw error;
  }
}

function showFault(fault: Fault, context: GraphqlContext): GraphQLError {
  const { message, extensions } = errorOf(fault, context.requestId);
  return new GraphQLError(message, withIds({ extensions }, context));
}

/** @param span of the beginning of the operation, if that is traced */
function contextOf(
  subscriber: Subscriber,
  options: WebSocketOptions,
  span: Span | undefined,
): GraphqlContext {
  const { caller, address } = subscriber;
  const requestId = makeRequestId();
  const deadline = steadyNow() + options.timeoutMs;
  span?.set({
    'roster.operation': operation,
    'roster.request.id': requestId,
    'roster.workspace.id': caller.workspaceId,
  });
  const { traceparent, tracestate } = span ?? { ...subscriber, tracestate: undefined };
  const request = { caller, requestId, traceparent, tracestate, deadline, address };
  return makeContext(options.client, request, eventsFor({ ...subscriber, requestId }, options));
}

const tooManyOperations = () =>
  new Fault(
    'rate_limited',
    `A WebSocket can have at most ${subscriptionLimits.operations} operations.`,
    { retryAfterSeconds: 5 },
  );
