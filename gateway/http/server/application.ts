import Koa from 'koa';
import type { Admission } from '../admission/admission.js';
import type { Exchange, HttpContext } from '../exchange/exchange.js';

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
