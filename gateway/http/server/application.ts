import Koa from 'koa';
import type { Admission } from '../admission/admission.js';
import type { Exchange, HttpContext } from '../exchange/exchange.js';

/**
 * Koa up to its middleware, which sends every answer itself. Koa's own end of a request would be idle, but listens on the
 * connection for each of them with `on-finished`: a seventh of a request's garbage, and most of what V8 takes for alive.
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
