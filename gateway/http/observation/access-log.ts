import { traceIdOf, type Log } from '@roster/process';
import type { HttpContext } from '../exchange/exchange.js';

/** Logs one line per request. Each field is listed: paths with IDs, queries, headers and bodies are never logged. */
export function logAccess(log: Log, ctx: HttpContext, seconds: number): void {
  const { route, operation, status, requestId, traceparent, caller, fault } = ctx.state;
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
      code: fault?.code,
      reason: fault?.reason,
    },
    'request',
  );
}
