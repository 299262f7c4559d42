import { traceIdOf, type Log } from '@roster/service';
import type { HttpContext } from '../exchange/exchange.js';

/** One line per request. Fields one by one: no path with ids, no query, no header, no body. */
export function logAccess(log: Log, ctx: HttpContext, seconds: number): void {
  const { route, operation, status, requestId, traceparent, caller } = ctx.state;
  log.info(
    {
      method: ctx.method,
      route,
      operation,
      status,
      ms: Math.round(seconds * 1e5) / 100,
      requestId,
      traceId: traceIdOf(traceparent),
      workspaceId: caller?.workspaceId,
      keyId: caller?.keyId,
    },
    'request',
  );
}
