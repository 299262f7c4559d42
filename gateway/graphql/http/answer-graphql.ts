import { HeaderMap, type ApolloServer, type HTTPGraphQLRequest } from '@apollo/server';
import type { Bus } from '@roster/bus';
import { Fault, httpStatus, type Caller } from '@roster/contracts';
import type { Authenticator } from '../../http/authenticate.js';
import type { HttpContext } from '../../http/exchange.js';
import { readIdempotencyKey } from '../../http/idempotency-key.js';
import { setFaultHeaders } from '../../http/problem.js';
import type { RateLimiter } from '../../http/rate-limit.js';
import { emptyBody, readJsonBytes } from '../../http/read-json-bytes.js';
import { send } from '../../http/send.js';
import { parseJson } from '../../rest/parse-json-object.js';
import { Ask } from '../ask.js';
import type { GraphqlContext } from '../context.js';
import { batchMax } from '../document/limits.js';
import { errorOf, refused } from '../errors.js';
import { noEvents } from '../event/no-events.js';
import type { PersistedDocuments } from './persisted-documents.js';
import { GraphQLError } from 'graphql';

export interface GraphqlOptions {
  bus: Bus;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  apollo: ApolloServer<GraphqlContext>;
  persisted: PersistedDocuments | null;
  timeoutMs: number;
  bodyBytesMax: number;
  realm: string;
}

/** Answers queries and mutations: who asks, what do they ask, then Apollo. */
export function answerGraphql(options: GraphqlOptions) {
  const { apollo, persisted } = options;
  return async (ctx: HttpContext): Promise<void> => {
    ctx.state.route = '/graphql';
    ctx.state.operation = 'graphql';
    const accept = acceptOf(ctx);
    try {
      const caller = await admit(ctx, options);
      const body = ctx.method === 'POST' ? await readRequest(ctx, options, caller) : undefined;
      const context = contextOf(ctx, caller, Array.isArray(body), options);
      const search =
        persisted && ctx.method !== 'POST' ? persisted.inSearch(ctx.search) : ctx.search;
      const response = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          // HEAD is answered as GET: Node leaves the body out.
          method: ctx.method === 'HEAD' ? 'GET' : ctx.method,
          headers: headersOf(ctx, accept),
          search,
          body: persisted && body !== undefined ? persisted.inBody(body) : body,
        },
        context: async () => context,
      });
      for (const [name, value] of response.headers) ctx.state.headers[name] = value;
      if (response.body.kind !== 'complete')
        throw new Error('incremental delivery was not asked for');
      send(ctx, response.status ?? 200, `${accept}; charset=utf-8`, response.body.string);
    } catch (error) {
      if (error instanceof Fault) sendFault(ctx, error, accept, options.realm);
      else if (error instanceof GraphQLError) sendRefusal(ctx, error, accept);
      else throw error;
    }
  };
}

type MediaType = 'application/json' | 'application/graphql-response+json';

/** The newer media type where the client names it. Whoever accepts neither gets JSON: better than no answer. */
export function acceptOf(ctx: HttpContext): MediaType {
  const best = ctx.accepts('application/json', 'application/graphql-response+json');
  return best === 'application/graphql-response+json' ? best : 'application/json';
}

/** @throws Fault as REST does */
export async function admit(
  { state, req }: HttpContext,
  { authenticator, rateLimiter }: Pick<GraphqlOptions, 'authenticator' | 'rateLimiter'>,
): Promise<Caller> {
  const caller = await authenticator.authenticate(req.headers.authorization, state);
  state.caller = caller;
  rateLimiter.take(caller.keyId, state.headers);
  return caller;
}

/** The body: a request, or a batch of them. Each operation of a batch counts against the rate. */
async function readRequest(
  { req, state }: HttpContext,
  { bodyBytesMax, rateLimiter }: GraphqlOptions,
  { keyId }: Caller,
): Promise<object> {
  const bytes = await readJsonBytes(req, bodyBytesMax);
  if (bytes.length === 0) throw emptyBody();
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null)
    throw new Fault('invalid_json', 'The body must be a JSON object, or an array of them.');
  if (Array.isArray(body)) {
    if (body.length > batchMax)
      throw refused('too_many_operations', `A batch has at most ${batchMax} operations.`);
    for (let more = 1; more < body.length; more += 1) rateLimiter.take(keyId, state.headers);
  }
  return body;
}

function contextOf(
  { state, req }: HttpContext,
  caller: Caller,
  isBatch: boolean,
  { bus, authenticator, timeoutMs }: GraphqlOptions,
): GraphqlContext {
  const { requestId, traceparent } = state;
  const idempotencyKey = readIdempotencyKey(req.headers['idempotency-key']);
  // Fields are told apart by their names, and operations of a batch may have the same.
  if (isBatch && idempotencyKey !== undefined)
    throw new Fault('invalid', 'A batch of operations takes no Idempotency-Key.');
  const deadline = Date.now() + timeoutMs;
  const asking = { caller, requestId, traceparent, deadline, idempotencyKey };
  return { ask: new Ask(bus, authenticator, asking), caller, requestId, events: noEvents };
}

function headersOf({ req }: HttpContext, accept: MediaType): HTTPGraphQLRequest['headers'] {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.set('accept', accept);
  return headers;
}

/** A refusal before GraphQL began, in GraphQL's form and with REST's status and headers. */
export function sendFault(ctx: HttpContext, fault: Fault, accept: MediaType, realm: string): void {
  setFaultHeaders(ctx.state.headers, fault, realm);
  sendErrors(ctx, httpStatus[fault.code], accept, errorOf(fault, ctx.state.requestId));
}

function sendRefusal(ctx: HttpContext, error: GraphQLError, accept: MediaType): void {
  const { http: _, ...extensions } = error.extensions;
  const { requestId } = ctx.state;
  const shown = new GraphQLError(error.message, { extensions: { ...extensions, requestId } });
  sendErrors(ctx, 400, accept, shown);
}

function sendErrors(
  ctx: HttpContext,
  status: number,
  accept: MediaType,
  error: GraphQLError,
): void {
  send(ctx, status, `${accept}; charset=utf-8`, JSON.stringify({ errors: [error] }));
}
