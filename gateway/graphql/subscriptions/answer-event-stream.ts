import { Fault } from '@roster/contracts';
import type { Log } from '@roster/service';
import { createHandler } from 'graphql-sse';
import type { ExecutionResult } from 'graphql';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { emptyBody, readJsonBytes } from '../../http/body/read-json-bytes.js';
import { send } from '../../http/exchange/send.js';
import { parseJson } from '../../http/body/parse-json.js';
import { RequestOperations } from '../request-operations.js';
import type { GraphqlContext } from '../context.js';
import { admit, sendFault, type GraphqlOptions } from '../http/answer-graphql.js';
import { prepareSubscription, type PrepareOptions } from './prepare-subscription.js';
import { subscribeSafely } from './subscribe-safely.js';
import { eventsFor, type SubscriberOptions } from './subscriber.js';

export interface EventStreamOptions extends GraphqlOptions, PrepareOptions, SubscriberOptions {
  log: Log;
}

/** Some clients accept a stream for whatever they ask: it is sent to those that like nothing better. */
export const wantsEventStream = (ctx: HttpContext): boolean =>
  ctx.accepts(
    'application/graphql-response+json',
    'application/json',
    'text/html',
    'text/event-stream',
  ) === 'text/event-stream';

/** One stream: what subscribes, and how far the client has read. */
interface Stream {
  context: GraphqlContext;
  pace: Pace;
}

/**
 * Answers a subscription as server-sent events, in graphql-sse's mode of a connection for each.
 * https://github.com/enisdenjo/graphql-sse/blob/master/PROTOCOL.md
 */
export function answerEventStream(options: EventStreamOptions) {
  const { client, timeoutMs, bodyBytesMax, log, realm } = options;
  const handle = createHandler<IncomingMessage, Stream>({
    // No token: no mode in which many requests share a stream.
    authenticate: () => null,
    onSubscribe({ context: { context } }, params) {
      const prepared = prepareSubscription(params, context, options);
      return 'schema' in prepared ? (prepared as never) : only({ errors: prepared });
    },
    // Checked by now, limits first.
    validate: () => [],
    subscribe: (args) =>
      subscribeSafely(args, log, () => paceOf(args.contextValue as unknown as GraphqlContext)),
  });
  const paces = new WeakMap<GraphqlContext, Pace>();
  const paceOf = (context: GraphqlContext) => paces.get(context)!.ready();

  return async (ctx: HttpContext): Promise<void> => {
    const { state, req, res } = ctx;
    state.operation = 'graphql.subscribe';
    try {
      const caller = await admit(ctx, options);
      const body = ctx.method === 'POST' ? await readParams(ctx, bodyBytesMax) : null;
      const { requestId, traceparent } = state;
      const deadline = Date.now() + timeoutMs;
      const { authorization } = req.headers;
      const cutOff = () => void res.destroy();
      const context: GraphqlContext = {
        operations: new RequestOperations(client, { caller, requestId, traceparent, deadline }),
        caller,
        requestId,
        events: eventsFor({ caller, authorization, requestId, traceparent, cutOff }, options),
      };
      const pace = new Pace();
      paces.set(context, pace);
      const [stream, init] = await handle({
        method: ctx.method,
        url: ctx.url,
        headers: { get: (name) => (name === 'accept' ? 'text/event-stream' : ctx.get(name)) },
        body,
        raw: req,
        context: { context, pace },
      });
      if (stream === null || typeof stream === 'string')
        return send(ctx, init.status, 'application/json; charset=utf-8', stream ?? '');
      state.status = init.status;
      const { connection: _, 'cache-control': __, ...headers } = init.headers ?? {};
      res.writeHead(init.status, { ...state.headers, ...headers });
      // It may last for days: it does not count as a request in flight, but by itself.
      void pump(stream, res, pace);
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      sendFault(ctx, error, 'application/json', realm);
    }
  };
}

/** A stream of one result. As it stands, graphql-sse takes a result without data for arguments. */
async function* only(result: ExecutionResult): AsyncGenerator<ExecutionResult> {
  yield result;
}

/** Lets results go one at a time: graphql-sse takes whatever it is given, and keeps it until it is read. */
class Pace {
  #given = 0;
  #written = 0;
  #waiting: (() => void) | undefined;

  async ready(): Promise<void> {
    if (this.#written < this.#given)
      await new Promise<void>((resolve) => (this.#waiting = resolve));
    this.#given += 1;
  }

  wrote(chunk: string): void {
    if (!chunk.startsWith('event: next')) return;
    this.#written += 1;
    this.#waiting?.();
  }
}

async function pump(
  stream: AsyncGenerator<string, void>,
  response: ServerResponse,
  pace: Pace,
): Promise<void> {
  response.once('close', () => void stream.return());
  try {
    for await (const chunk of stream) {
      if (!response.writable) break;
      await new Promise<void>((resolve, reject) => {
        response.write(chunk, (error) => (error ? reject(error) : resolve()));
      });
      pace.wrote(chunk);
    }
  } catch {
    // The client is gone.
  } finally {
    response.end();
  }
}

async function readParams(
  { req }: HttpContext,
  bytesMax: number,
): Promise<Record<PropertyKey, unknown>> {
  const bytes = await readJsonBytes(req, bytesMax);
  if (bytes.length === 0) throw emptyBody();
  const params = parseJson(bytes);
  if (typeof params !== 'object' || params === null || Array.isArray(params))
    throw new Fault('invalid_json', 'The body must be a JSON object.');
  // It asks for a query even where a listed document stands in for it.
  return { query: '', ...params };
}
