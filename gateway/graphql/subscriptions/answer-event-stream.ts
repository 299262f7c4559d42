import { steadyNow } from '@roster/bus';
import { Fault } from '@roster/contracts';
import type { Log } from '@roster/process';
import { createHandler, type Handler } from 'graphql-sse';
import type { ExecutionResult } from 'graphql';
import type { IncomingMessage } from 'node:http';
import type { HttpContext } from '../../http/exchange.js';
import { emptyBody, parseJson, readJsonBytes } from '../../http/body/read-json.js';
import { clientAddress } from '../../http/connections/trusted-proxies.js';
import { send } from '../../http/response/send.js';
import { makeContext, type GraphqlContext } from '../context.js';
import { admit, type GraphqlOptions } from '../http/answer-graphql.js';
import { sendFault } from '../http/response.js';
import {
  prepareSubscription,
  subscribeSafely,
  type PrepareOptions,
} from './execute-subscription.js';
import { subscriptionLimits } from './subscription-limits.js';
import { eventsFor, type SubscriberOptions } from './subscriber.js';
import { FlowControl, writeEventStream } from './write-event-stream.js';

export interface EventStreamOptions extends GraphqlOptions, PrepareOptions, SubscriberOptions {
  log: Log;
}

/** Whether an event stream is the preferred media type. Some clients accept it for every operation. */
export const wantsEventStream = (ctx: HttpContext): boolean =>
  ctx.accepts(
    'application/graphql-response+json',
    'application/json',
    'text/html',
    'text/event-stream',
  ) === 'text/event-stream';

/**
 * Answers a subscription with server-sent events, in the distinct connections mode of graphql-sse.
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export function answerEventStream(options: EventStreamOptions) {
  const { client, timeoutMs, realm, unread } = options;
  const flows = new WeakMap<GraphqlContext, FlowControl>();
  const handle = openHandler(options, flows);

  return async (ctx: HttpContext): Promise<void> => {
    const { state, req, res } = ctx;
    state.operation = 'graphql.subscribe';
    try {
      const caller = await admit(ctx, options);
      const body =
        ctx.method === 'POST' ? await readParams(ctx, subscriptionLimits.requestBytes) : null;
      const { requestId, traceparent } = state;
      const origin = { requestId, traceparent, address: clientAddress(options.proxies, req) };
      const { authorization } = req.headers;
      const disconnect = () => void res.destroy();
      const flow = new FlowControl();
      const subscriber = {
        caller,
        authorization,
        ...origin,
        lastEventId: ctx.get('last-event-id') || undefined,
        disconnect,
        onBegin: (position: string) => flow.began(position),
        onTake: (eventId: string) => flow.took(eventId),
      };
      const events = eventsFor(subscriber, options);
      const request = { caller, ...origin, deadline: steadyNow() + timeoutMs };
      const context = makeContext(client, request, events);
      flows.set(context, flow);
      const [stream, init] = await handle({
        method: ctx.method,
        url: ctx.url,
        headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : ctx.get(name)) },
        body,
        raw: req,
        context,
      });
      if (stream === null || typeof stream === 'string')
        return send(ctx, init.status, 'application/json; charset=utf-8', stream ?? '');
      state.status = init.status;
      const { connection: _, 'cache-control': __, ...headers } = init.headers ?? {};
      res.writeHead(init.status, { ...state.headers, ...headers });
      // The client has left: it closes its direction of the connection only together with the stream.
      req.socket.once('end', disconnect);
      // Not awaited: a stream can last for days, and is counted as a subscription and not as a request in flight.
      void writeEventStream(stream, res, {
        flow,
        responses: state.unread,
        workspaceId: caller.workspaceId,
        take: (bytes) => unread.tryTake(caller.workspaceId, bytes),
        give: (bytes) => unread.give(caller.workspaceId, bytes),
        onExceeded: () => events.endSlow(),
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      sendFault(ctx, error, 'application/json', realm);
    }
  };
}

/** @param flows of the streams, by their contexts */
function openHandler(
  options: EventStreamOptions,
  flows: WeakMap<GraphqlContext, FlowControl>,
): Handler<IncomingMessage, GraphqlContext> {
  return createHandler<IncomingMessage, GraphqlContext>({
    // Without a token, the single connection mode is disabled.
    authenticate: () => null,
    onSubscribe({ context }, params) {
      const prepared = prepareSubscription(params, context, options);
      return 'schema' in prepared ? (prepared as never) : singleResult({ errors: prepared });
    },
    // `prepareSubscription` has validated it, after the limits.
    validate: () => [],
    subscribe(args) {
      const flow = flows.get(args.contextValue as unknown as GraphqlContext)!;
      return subscribeSafely(args, options.log, () => flow.ready());
    },
  });
}

/** A stream of one result. Graphql-sse would take a plain result without data for execution arguments. */
async function* singleResult(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result;
}

async function readParams(
  ctx: HttpContext,
  bytesMax: number,
): Promise<Record<PropertyKey, unknown>> {
  const bytes = await readJsonBytes(ctx, bytesMax);
  if (bytes.length === 0) throw emptyBody();
  const params = parseJson(bytes);
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new Fault('invalid_json', 'The body must be a JSON object.');
  // Graphql-sse requires a query, even if the request refers to a listed document.
  return { query: '', ...params };
}
