import type { Bus } from '@roster/bus';
import type { Router, RouterMiddleware } from '@koa/router';
import { createRequire } from 'node:module';
import type { GatewayConfig } from '../config.js';
import type { Authenticator } from '../http/authenticate.js';
import type { Exchange } from '../http/exchange.js';
import { serveProblemPages } from '../http/problem-pages.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { send } from '../http/send.js';
import { answerOperation, type RestOptions } from './answer-operation.js';
import { openapiDocument } from './openapi/document.js';
import { restOperations } from './rest-operations.js';

// By require, for the reason that `http` of @roster/service gives: its module for imports imports `node:http`.
const koaRouter = createRequire(import.meta.url)('@koa/router') as typeof import('@koa/router');

/** Paths of the contracts, `/v1/contacts/{contactId}`, as the router writes them. */
const routerPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1');

/** Every path but GraphQL's: a loop over the contracts, and what describes them. */
export function restRouter({
  bus,
  config,
  authenticator,
  rateLimiter,
}: {
  bus: Bus;
  config: GatewayConfig;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
}): Router<Exchange> {
  const router = new koaRouter.Router<Exchange>({ sensitive: true, strict: true });
  const options: RestOptions = {
    bus,
    authenticator,
    rateLimiter,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    bodyBytesMax: config.BODY_BYTES_MAX,
  };
  for (const operation of restOperations) {
    const { method, path } = operation.http;
    router.register(routerPath(path), [method], answerOperation(operation, options));
  }
  router.get(
    '/v1/openapi.json',
    fixed('openapi', 'application/json; charset=utf-8', openapiDocument(config)),
  );
  const index = {
    service: config.SERVICE_NAME,
    reference: '/v1/openapi.json',
    graphql: '/graphql',
    problems: '/problems',
  };
  router.get('/', fixed('index', 'application/json; charset=utf-8', index));
  serveProblemPages(router);
  return router;
}

/** A document that is made once. */
function fixed(operation: string, mediaType: string, document: object): RouterMiddleware<Exchange> {
  const body = Buffer.from(JSON.stringify(document));
  return (ctx) => {
    ctx.state.route = ctx.path;
    ctx.state.operation = operation;
    send(ctx, 200, mediaType, body);
  };
}
