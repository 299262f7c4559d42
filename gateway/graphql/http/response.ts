import type { HTTPGraphQLRequest } from '@apollo/server';
import { httpStatus, type Fault } from '@roster/contracts';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import type { HttpContext } from '../../http/exchange.js';
import { setFaultHeaders } from '../../http/refusal.js';
import { send } from '../../http/response/send.js';
import { errorOf, withIds } from '../errors.js';

const newerType = 'application/graphql-response+json';
export type MediaType = 'application/json' | typeof newerType;

/** The media type of the response. `application/json` if the client accepts neither. */
export const acceptOf = (ctx: HttpContext): MediaType =>
  ctx.accepts('application/json', newerType) === newerType ? newerType : 'application/json';

/** Codes of malformed requests, which are answered 400 with every media type. */
const malformed = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE']);

/**
 * GraphQL over HTTP, 6.4: a well-formed request whose document is rejected is answered 200 with `application/json`, because
 * clients that support only this media type distinguish a GraphQL response from an error of a proxy by the status; with
 * `application/graphql-response+json` it is answered 400. Apollo answers both 400.
 *
 * @param request with the media type that `acceptOf` chose
 */
export function statusFor(
  status: number,
  request: HTTPGraphQLRequest | undefined,
  errors: readonly GraphQLFormattedError[],
): number {
  if (status !== 400 || request?.headers.get('accept') === newerType) return status;
  const isMalformed = errors.some(({ extensions }) => malformed.has(String(extensions?.['code'])));
  return isMalformed ? status : 200;
}

/** Sends a fault that occurred before execution as a GraphQL response with the status and headers of REST. */
export function sendFault(ctx: HttpContext, fault: Fault, accept: MediaType, realm: string): void {
  ctx.state.fault = fault;
  setFaultHeaders(ctx.state.headers, fault, realm);
  sendError(ctx, httpStatus[fault.code], accept, errorOf(fault, ctx.state.requestId));
}

/** Sends the refusal of a request that is not executed. */
export function sendRefusal(ctx: HttpContext, error: GraphQLError, accept: MediaType): void {
  const { http: _, ...extensions } = error.extensions;
  sendError(ctx, 400, accept, new GraphQLError(error.message, { extensions }));
}

function sendError(ctx: HttpContext, status: number, accept: MediaType, error: GraphQLError) {
  const { requestId, span } = ctx.state;
  const shown = withIds(error.toJSON(), { requestId, traceId: span?.traceId });
  send(ctx, status, `${accept}; charset=utf-8`, JSON.stringify({ errors: [shown] }));
}
