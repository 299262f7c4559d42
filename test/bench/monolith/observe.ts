import { randomUUID } from 'node:crypto';
import type { Context, Middleware } from 'koa';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Counter, Histogram, register } from 'prom-client';
import { Problem } from './problem.js';
import type { State } from './state.js';

/** Applied to every request: an ID, a log line, metrics, and a problem document for rejected requests. */
export function observe(log: Logger): Middleware<State> {
  collectDefaultMetrics({ register });
  const requests = new Counter({
    name: 'http_requests_total',
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'status'],
  });
  const duration = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time to answer.',
    labelNames: ['route'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return async (ctx, next) => {
    const startedAt = performance.now();
    const { state } = ctx;
    state.requestId = randomUUID();
    state.route = 'none';
    ctx.set('X-Request-Id', state.requestId);
    try {
      await next();
      if (ctx.status === 404 && ctx.body === undefined)
        throw new Problem('not_found', 'No such path.');
    } catch (error) {
      refuse(ctx, error, log);
    }
    const { status, method } = ctx;
    const { requestId, route, caller } = state;
    const seconds = (performance.now() - startedAt) / 1000;
    requests.inc({ route, status });
    duration.observe({ route }, seconds);
    log.info(
      {
        method,
        route,
        status,
        ms: Math.round(seconds * 1e5) / 100,
        requestId,
        workspaceId: caller?.workspaceId,
        keyId: caller?.keyId,
      },
      'request',
    );
  };
}

function refuse(ctx: Context, error: unknown, log: Logger): void {
  const { requestId } = ctx.state as State;
  const problem =
    error instanceof Problem ? error : new Problem('internal', 'An internal error occurred.');
  if (!(error instanceof Problem)) log.error({ err: error, requestId }, 'a request failed');
  const { code, status, message: detail, more } = problem;
  ctx.status = status;
  ctx.body = { type: `/problems/${code}`, title: code, status, detail, code, requestId, ...more };
  ctx.type = 'application/problem+json';
  if (status === 401) ctx.set('WWW-Authenticate', 'Bearer');
}
