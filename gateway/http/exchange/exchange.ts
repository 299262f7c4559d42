import type { Caller } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { ParameterizedContext } from 'koa';
import { makeRequestId, makeTraceparent } from './trace.js';

/** One request and its answer, as the log and the metrics know it. */
export interface Exchange {
  requestId: string;
  traceparent: string;
  startedAt: number;
  /** The route's pattern: paths themselves carry ids. */
  route: string;
  operation: string;
  caller: Caller | null;
  /** Headers of the answer, whatever it will be. */
  headers: OutgoingHttpHeaders;
  /** Status of the answer, 0 until it is given. */
  status: number;
}

/** What the router leaves in the context. */
interface Routed {
  params?: Record<string, string>;
  /** Routes of the path, whatever their method. */
  matched?: { path: string | RegExp; methods: string[] }[];
}

export type HttpContext = ParameterizedContext<Exchange, Routed>;

const visibleAscii = /^[\x21-\x7e]{1,128}$/;

export function openExchange(ctx: HttpContext): Exchange {
  const { headers } = ctx.req;
  const given = headers['x-request-id'];
  const requestId = typeof given === 'string' && visibleAscii.test(given) ? given : makeRequestId();
  const exchange: Exchange = {
    requestId,
    traceparent: makeTraceparent(headers['traceparent']),
    startedAt: performance.now(),
    route: '',
    operation: 'none',
    caller: null,
    headers: {
      'X-Request-Id': requestId,
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    },
    status: 0,
  };
  ctx.state = exchange;
  return exchange;
}
