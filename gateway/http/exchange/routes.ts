import type { Router, RouterMiddleware } from '@koa/router';
import { createRequire } from 'node:module';
import type { Exchange, HttpContext } from './exchange.js';
import { send } from './send.js';

// By require, for the reason that `http` of @roster/service gives: its module for imports imports `node:http`.
const koaRouter = createRequire(import.meta.url)('@koa/router') as typeof import('@koa/router');

/** A path, and who answers there. */
export interface Route {
  methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  /** With its parameters as the contracts write them: `/v1/contacts/{contactId}`. */
  path: string;
  /** What it is in the log and the metrics; whoever answers may know it better. */
  operation: string;
  answer(ctx: HttpContext): Promise<void> | void;
}

/** HEAD is answered wherever GET is. Paths are exact: case matters, and so does a trailing slash. */
export function openRouter(routes: readonly Route[]): Router<Exchange> {
  const router = new koaRouter.Router<Exchange>({ sensitive: true, strict: true });
  for (const { methods, path, operation, answer } of routes) {
    const take: RouterMiddleware<Exchange> = (ctx) => {
      ctx.state.route = path;
      ctx.state.operation = operation;
      return answer(ctx);
    };
    router.register(path.replaceAll(/\{(\w+)\}/g, ':$1'), [...methods], take);
  }
  return router;
}

/** A document that is made once. */
export const fixed =
  (mediaType: string, body: Uint8Array): Route['answer'] =>
  (ctx) =>
    send(ctx, 200, mediaType, body);
