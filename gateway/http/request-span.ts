import type { IncomingMessage } from 'node:http';
import {
  isSampled,
  parseTraceparent,
  parseTracestate,
  unsampled,
  type Span,
  type Tracer,
} from '@roster/telemetry';
import type { Exchange } from './exchange.js';

const server = { kind: 'server' } as const;

/** Begins the span of a request, or of an operation of the WebSocket that the request opened, if it is sampled. */
export function beginRequestSpan(
  tracer: Tracer,
  name: string,
  { headers }: IncomingMessage,
): Span | undefined {
  const traceparent = parseTraceparent(headers['traceparent']);
  const tracestate = traceparent && parseTracestate(headers['tracestate']);
  return tracer.startRequest(name, { traceparent, tracestate }, server);
}

export function traceRequest(tracer: Tracer, exchange: Exchange, request: IncomingMessage): void {
  const span = beginRequestSpan(tracer, request.method!, request);
  if (span) {
    exchange.span = span;
    exchange.tracestate = span.tracestate;
    exchange.traceparent = span.traceparent;
  } else if (isSampled(exchange.traceparent))
    exchange.traceparent = unsampled(exchange.traceparent);
}

/**
 * Ends the span of a request. It has the route instead of the path: paths contain IDs, names of tags and addresses.
 */
export function endRequestSpan(span: Span, method: string, exchange: Exchange): void {
  const { route, operation, status, requestId, caller, fault } = exchange;
  if (route !== '') span.rename(`${method} ${route}`);
  span.set({
    'http.request.method': method,
    'http.route': route || undefined,
    'http.response.status_code': status,
    'url.path': route || undefined,
    'url.scheme': 'http',
    'roster.operation': operation,
    'roster.request.id': requestId,
    'roster.workspace.id': caller?.workspaceId,
    'roster.fault.code': fault?.code,
  });
  span.end(status >= 500 ? (fault?.code ?? String(status)) : undefined);
}
