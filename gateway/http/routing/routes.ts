import { Router, type RouterContext, type RouterMiddleware } from '@koa/router';
import type { HttpBinding } from '@roster/contracts';
import type { Middleware } from 'koa';
import type { OutgoingHttpHeaders } from 'node:http';
import type { Exchange, HttpContext } from '../exchange/exchange.js';
import { RouteTree } from './route-tree.js';
import { compressOnce } from '../response/compress.js';
import { sendCompressed } from '../response/send-compressed.js';

export type HttpMethod = HttpBinding['method'] | 'PATCH';

/** A path, its methods and their handler. */
export interface Route {
  methods: readonly HttpMethod[];
  /** With parameters in the syntax of the contracts: `/v1/contacts/{contactId}`. */
  path: string;
  /** Name in the log and the metrics. The handler may replace it by a more specific one. */
  operation: string;
  answer(ctx: HttpContext): Promise<void> | void;
}

/**
 * Middleware that calls the handler of the route of a request, or the next middleware if the path has none for the method. The
 * middleware of @koa/router would test the patterns of all routes for each request, and compose a chain for those that match: 2.4
 * instead of 0.6 µs.
 */
export function dispatch(router: Router<Exchange>): Middleware<Exchange> {
  const tree = new RouteTree(router.stack);
  return (ctx: HttpContext, next) => {
    const { path, method } = ctx;
    const layers = tree.find(path);
    ctx.matched = layers;
    const layer = layers.find(({ methods }) => methods.includes(method));
    if (!layer) return next();
    ctx.params = layer.params(path, layer.captures(path));
    return layer.stack[0]!(ctx as HttpContext & RouterContext, next);
  };
}

/** HEAD is supported wherever GET is. Paths are matched exactly, including case and trailing slashes. */
export function openRouter(routes: readonly Route[]): Router<Exchange> {
  const router = new Router<Exchange>({ sensitive: true, strict: true });
  for (const { methods, path, operation, answer } of routes) {
    const handle: RouterMiddleware<Exchange> = (ctx) => {
      ctx.state.route = path;
      ctx.state.operation = operation;
      return answer(ctx);
    };
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [...methods], handle);
  }
  return router;
}

/**
 * Handler that sends a constant document.
 *
 * @param headers in addition to those of every response
 */
export function fixed(
  mediaType: string,
  body: Uint8Array,
  headers: OutgoingHttpHeaders = {},
): Route['answer'] {
  const compressor = compressOnce();
  return (ctx) => {
    Object.assign(ctx.state.headers, headers);
    return sendCompressed(ctx, 200, mediaType, body, compressor);
  };
}
