import { httpStatus, type Fault } from '@roster/contracts';
import { GraphQLError } from 'graphql';
import type { HttpContext } from '../../http/exchange/exchange.js';
import { send } from '../../http/response/send.js';
import { setFaultHeaders } from '../../http/refusal/set-fault-headers.js';
import { errorOf } from '../errors.js';
import type { MediaType } from './media-type.js';

/** Sends a fault that occurred before execution as a GraphQL response with the status and headers of REST. */
export function sendFault(ctx: HttpContext, fault: Fault, accept: MediaType, realm: string): void {
  ctx.state.fault = fault;
  setFaultHeaders(ctx.state.headers, fault, realm);
  sendErrors(ctx, httpStatus[fault.code], accept, errorOf(fault, ctx.state.requestId));
}

/** Sends the refusal of a request that is not executed. */
export function sendRefusal(ctx: HttpContext, error: GraphQLError, accept: MediaType): void {
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
