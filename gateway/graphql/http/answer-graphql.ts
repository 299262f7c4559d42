import { HeaderMap, type ApolloServer, type HTTPGraphQLRequest } from '@apollo/server';
import { steadyNow } from '@roster/bus';
import { Fault, type Caller } from '@roster/contracts';
import { isGone, type HttpContext } from '../../http/exchange.js';
import { readIdempotencyKey } from '../../operations/check-input.js';
import { limitRate, setRateHeaders } from '../../http/callers/limit-rate.js';
import { clientAddress } from '../../http/connections/trusted-proxies.js';
import { authenticateRequest, type Authentication } from '../../http/callers/authenticate.js';
import { readIfMatch, readIfNoneMatch } from '../../http/response/conditions.js';
import type { OperationClient } from '../../operations/operation-client.js';
import type { RateLimiter, RateState } from '../../operations/rates/rate-limiter.js';
import { emptyBody, parseJson, readJsonBytes } from '../../http/body/read-json.js';
import { send } from '../../http/response/send.js';
import { sendCompressed } from '../../http/response/send-compressed.js';
import { makeContext, noEvents, type GraphqlContext } from '../context.js';
import { batchMax, requestBytesMax } from '../document/limits.js';
import { refused, withIds, type ErrorIds } from '../errors.js';
import type { PersistedDocuments } from './persisted-documents.js';
import { acceptOf, sendFault, sendRefusal, type MediaType } from './response.js';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

export interface GraphqlOptions extends Authentication {
  client: OperationClient;
  rateLimiter: RateLimiter;
  apollo: ApolloServer<GraphqlContext>;
  persisted: PersistedDocuments | null;
  timeoutMs: number;
  realm: string;
}

/** Answers queries and mutations: authenticates, checks the rate, reads the request, and executes it with Apollo. */
export function answerGraphql(options: GraphqlOptions) {
  const { apollo, persisted } = options;
  return async (ctx: HttpContext): Promise<void> => {
    const accept = acceptOf(ctx);
    try {
      const caller = await admit(ctx, options);
      const body = ctx.method === 'POST' ? await readRequest(ctx, options, caller) : undefined;
      const context = contextOf(ctx, caller, Array.isArray(body), options);
      const search =
        persisted && ctx.method !== 'POST' ? persisted.inSearch(ctx.search) : ctx.search;
      const response = await apollo.executeHTTPGraphQLRequest({
        httpGraphQLRequest: {
          // HEAD is handled as GET. Node omits the body.
          method: ctx.method === 'HEAD' ? 'GET' : ctx.method,
          headers: headersOf(ctx, accept),
          search,
          body: persisted && body !== undefined ? persisted.inBody(body) : body,
        },
        context: async () => context,
      });
      // `send` sets the media type.
      response.headers.delete('content-type');
      for (const [name, value] of response.headers) ctx.state.headers[name] = value;
      if (response.body.kind !== 'complete')
        throw new Error('incremental delivery is not supported');
      const status = response.status ?? 200;
      const { string } = response.body;
      const text = status === 200 ? string : withIdsInText(string, context);
      const mediaType = `${accept}; charset=utf-8`;
      await (status === 200 ? sendCompressed : send)(ctx, status, mediaType, text);
    } catch (error) {
      if (error instanceof Fault) sendFault(ctx, error, accept, options.realm);
      else if (error instanceof GraphQLError) sendRefusal(ctx, error, accept);
      else throw error;
    }
  };
}

/**
 * Authenticates, checks the rate and the unread responses of the workspace, and rejects conditions that would be ignored.
 *
 * @throws Fault as REST does
 */
export async function admit(
  ctx: HttpContext,
  options: Authentication & Pick<GraphqlOptions, 'rateLimiter'>,
): Promise<Caller> {
  const { state, req } = ctx;
  const caller = await authenticateRequest(ctx, options);
  limitRate(options.rateLimiter, caller, state.headers);
  state.unread.checkShare(caller.workspaceId);
  readIfMatch(req.headers['if-match'], false);
  readIfNoneMatch(req.headers['if-none-match'], ctx.method !== 'POST');
  return caller;
}

/** Apollo rejects malformed GraphQL requests before any plugin is called. */
function withIdsInText(text: string, ids: ErrorIds): string {
  const { errors, ...rest } = JSON.parse(text) as { errors?: GraphQLFormattedError[] };
  const shown = errors?.map((error) => withIds(error, ids));
  return JSON.stringify({ ...(shown && { errors: shown }), ...rest });
}

/** Reads the body, a request or a batch of requests. Each operation of a batch counts against the rate. */
async function readRequest(
  ctx: HttpContext,
  { rateLimiter }: GraphqlOptions,
  caller: Caller,
): Promise<object> {
  const bytes = await readJsonBytes(ctx, requestBytesMax);
  if (bytes.length === 0) throw emptyBody();
  const body = parseJson(bytes);
  if (typeof body !== 'object' || body === null)
    throw new Fault('invalid_json', 'The body must be a JSON object or an array of JSON objects.');
  if (Array.isArray(body)) {
    if (body.length > batchMax)
      throw refused('too_many_operations', `A batch can have at most ${batchMax} operations.`);
    for (let more = 1; more < body.length; more += 1)
      limitRate(rateLimiter, caller, ctx.state.headers);
  }
  return body;
}

function contextOf(
  ctx: HttpContext,
  caller: Caller,
  isBatch: boolean,
  { client, timeoutMs, proxies }: GraphqlOptions,
): GraphqlContext {
  const { state, req } = ctx;
  const { requestId, traceparent, tracestate } = state;
  const idempotencyKey = readIdempotencyKey(req.headers['idempotency-key']);
  // Keys of fields are composed of their response names, which are not unique in a batch.
  if (isBatch && idempotencyKey !== undefined)
    throw new Fault('invalid', 'Idempotency-Key is not supported for batches of operations.');
  const deadline = steadyNow() + timeoutMs;
  const request = {
    caller,
    requestId,
    traceparent,
    tracestate,
    deadline,
    address: clientAddress(proxies, req),
    isAbandoned: () => isGone(req),
    onSecret: () => {
      state.containsSecret = true;
    },
    onCharged: (states: readonly RateState[]) => setRateHeaders(state.headers, states),
    ...(idempotencyKey !== undefined && { idempotencyKey }),
  };
  return makeContext(client, request, noEvents);
}

function headersOf({ req }: HttpContext, accept: MediaType): HTTPGraphQLRequest['headers'] {
  const headers = new HeaderMap();
  for (const [name, value] of Object.entries(req.headers)) {
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value);
  }
  headers.set('accept', accept);
  return headers;
}
