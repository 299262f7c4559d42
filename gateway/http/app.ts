import Koa from 'koa';
import { Fault, faultMessages } from '@roster/contracts';
import { flatLog, type Log } from '@roster/process';
import { tracer } from '@roster/telemetry';
import type { OutgoingHttpHeaders } from 'node:http';
import type { KeyVerifier } from '../operations/key-verifier.js';
import { type HttpObserver, logAccess } from './observation.js';
import { Admission } from './admission/admission.js';
import { UnreadResponses } from './connections/unread-responses.js';
import type { AllowedOrigins } from './callers/allowed-origins.js';
import { cachedKey } from './callers/authenticate.js';
import {
  ClientGone,
  type Exchange,
  type HttpContext,
  leaveSlot,
  openExchange,
  waitForSlot,
} from './exchange.js';
import { BodyStalled } from './body/read-long-body.js';
import { discardRest } from './body/read-body.js';
import { patchTypes } from './body/read-json.js';
import { MethodNotAllowed, refusalStatus, type RefusalWriter, setFaultHeaders } from './refusal.js';
import { endRequestSpan, traceRequest } from './request-span.js';
import { type Route, Routes } from './routes.js';
import { send } from './response/send.js';

export interface AppOptions {
  routes: readonly Route[];
  origins: AllowedOrigins;
  keys: KeyVerifier;
  refusals: RefusalWriter;
  /** Shown to a browser instead of the refusal of a path that does not exist. */
  notFound: NotFoundPage;
  log: Log;
  observer: HttpObserver;
  concurrencyMax: number;
  /** Realm of `WWW-Authenticate`. */
  realm: string;
}

interface NotFoundPage {
  headers: OutgoingHttpHeaders;
  pageOf(path: string): string;
}

/** The gateway as a Koa application: the processing that requests of all routes have in common. */
export function openApp({
  routes,
  origins,
  keys,
  refusals,
  notFound,
  log,
  observer,
  concurrencyMax,
  realm,
}: AppOptions): Application {
  const accessLog = flatLog(log);
  const admission = new Admission(concurrencyMax);
  const unread = new UnreadResponses((reason, workspaceId) => {
    log.info({ reason, workspaceId }, 'closed a connection whose response was not read');
    observer.connectionEnded(reason);
  });
  const app = new Application(admission);
  const allRoutes = new Routes(routes);
  observer.watch(admission, unread);
  // Only errors after the response has begun arrive here, such as a client that disconnects during the write.
  app.on('error', (error: Error) => log.debug({ err: error }, 'failed to complete a response'));
  app.use(async (ctx) => {
    const cached = cachedKey(keys, ctx.req.socket, ctx.req.headers.authorization);
    const exchange = openExchange(ctx, admission, unread, cached);
    if (tracer) traceRequest(tracer, exchange, ctx.req);
    if (ctx.req.headers.origin !== undefined) origins.expose(ctx);
    try {
      if (!exchange.hasSlot) {
        const { generation } = keys;
        await waitForSlot(ctx);
        // The key may have been revoked meanwhile, or the origins of its workspace changed. It is verified again by the route.
        if (keys.generation !== generation) {
          exchange.caller = null;
          origins.expose(ctx);
        }
      }
      if (!ctx.req.url!.startsWith('/')) ctx.req.url = originForm(ctx.req.url!);
      await answer(ctx, allRoutes, origins);
    } catch (error) {
      const isAbandoned = error instanceof ClientGone;
      if (error instanceof BodyStalled) refuseStalled(ctx, refusals);
      else if (!isAbandoned || !ctx.req.socket.destroyed)
        refuse(ctx, faultOf(error, exchange, log), refusals, notFound, realm);
      if (isAbandoned) exchange.status = clientClosedRequest;
    } finally {
      leaveSlot(ctx);
      discardRest(ctx.req);
      // The connection of an event stream stays readable, so that a disconnect is detected.
      if (ctx.res.writableEnded && ctx.req.complete) admission.hold(ctx.req.socket, exchange.group);
      const seconds = (performance.now() - exchange.startedAt) / 1000;
      observer.answered(exchange.operation, exchange.status, seconds);
      logAccess(accessLog, ctx, seconds, origins.whyUnexposed(ctx));
      if (exchange.span) endRequestSpan(exchange.span, ctx.method, exchange);
    }
  });
  return app;
}

function answer(ctx: HttpContext, routes: Routes, origins: AllowedOrigins): Promise<void> | void {
  const found = routes.find(ctx.req.method!, ctx.req.url!);
  if (!found) return noRoute(ctx, routes, origins);
  const { route, params } = found;
  ctx.params = params;
  ctx.state.route = route.path;
  ctx.state.operation = route.operation;
  return route.answer(ctx);
}

/** nginx's code for a client that closed the connection. Used in the log and the metrics only. */
const clientClosedRequest = 499;

function faultOf(error: unknown, { requestId, operation }: Exchange, log: Log): Fault {
  if (error instanceof Fault) return error;
  if (error instanceof ClientGone)
    return new Fault('unavailable', faultMessages.unavailable, {
      retryAfterSeconds: 1,
      reason: 'the client closed its direction of the connection while the request waited',
    });
  log.error({ err: error, requestId, operation }, 'unexpected error in a request');
  return new Fault('internal', faultMessages.internal);
}

function refuse(
  ctx: HttpContext,
  fault: Fault,
  { mediaType, bodyOf }: RefusalWriter,
  notFound: NotFoundPage,
  realm: string,
): void {
  const { code, message, details } = fault;
  const { headers, requestId, span } = ctx.state;
  ctx.state.fault = fault;
  setFaultHeaders(headers, fault, realm);
  if (code === 'not_found' && isNavigation(ctx)) {
    Object.assign(headers, notFound.headers);
    send(ctx, refusalStatus[code], 'text/html; charset=utf-8', notFound.pageOf(ctx.path));
    return;
  }
  send(
    ctx,
    refusalStatus[code],
    mediaType,
    bodyOf(code, message, requestId, details, span?.traceId),
  );
}

/** Whether a browser opens a page. Some HTTP clients ask for HTML too: what is below `/v1` is answered with problem documents only. */
const isNavigation = ({ req: { method, headers }, path }: HttpContext): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers.accept?.includes('text/html') === true &&
  !path.startsWith('/v1/');

/** The connection cannot be used again: the rest of the body may still arrive. */
function refuseStalled(ctx: HttpContext, { mediaType, bodyOf }: RefusalWriter): void {
  const code = 'request_timeout';
  const detail = 'The body was not received in time.';
  ctx.state.headers['Connection'] = 'close';
  send(ctx, refusalStatus[code], mediaType, bodyOf(code, detail, ctx.state.requestId));
}

/** Path and query of an absolute-form target (RFC 9112, 3.2.2). A target that cannot be parsed becomes a path without a route. */
function originForm(target: string): string {
  const url = URL.parse(target);
  return url?.pathname.startsWith('/') ? url.pathname + url.search : '/*';
}

const noSuchPath = (path: string): string =>
  path.length > 1 && path.endsWith('/')
    ? 'No such path: paths have no trailing slash.'
    : 'No such path.';

/** Answers preflights. Otherwise 405 with `Allow` if the path supports other methods, and 404. */
async function noRoute(ctx: HttpContext, routes: Routes, origins: AllowedOrigins): Promise<void> {
  const found = routes.ofPath(ctx.req.url!);
  if (found.size === 0) throw new Fault('not_found', noSuchPath(ctx.path));
  ctx.state.route = found.values().next().value!.path;
  const allow = [...found.keys()].join(', ');
  if (found.has('PATCH')) ctx.state.headers['Accept-Patch'] = patchTypes;
  if (!(await origins.answerPreflight(ctx, allow))) throw new MethodNotAllowed(allow);
}

/**
 * Koa without its response phase: the middleware writes every response itself. Koa's `handleRequest` would do nothing more than
 * register an `on-finished` listener on the connection for each request, a seventh of the garbage of a request.
 */
export class Application extends Koa<Exchange> {
  constructor(readonly admission: Admission) {
    super();
  }

  handleRequest(
    ctx: HttpContext,
    answer: (ctx: HttpContext) => Promise<unknown>,
  ): Promise<unknown> {
    return answer(ctx).catch((error: unknown) => {
      this.emit('error', error, ctx);
      ctx.res.destroy();
    });
  }
}
