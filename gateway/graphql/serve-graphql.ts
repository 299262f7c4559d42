import type { Router } from '@koa/router';
import type { Bus } from '@roster/bus';
import type { Log } from '@roster/service';
import type { Registry } from 'prom-client';
import type { GatewayConfig } from '../config.js';
import type { Authenticator } from '../http/authenticate.js';
import type { Exchange } from '../http/exchange.js';
import type { RateLimiter } from '../http/rate-limit.js';
import type { Upgrade } from '../http/server.js';
import { buildRosterSchema } from './build-schema.js';
import { DocumentChecker } from './document/document-checker.js';
import { sendPage, serveGraphiqlAssets, wantsPage } from './graphiql/serve-graphiql.js';
import { answerGraphql } from './http/answer-graphql.js';
import { openApollo } from './http/open-apollo.js';
import { PersistedDocuments } from './http/persisted-documents.js';
import { answerEventStream, wantsEventStream } from './subscriptions/answer-event-stream.js';
import { LiveSubscriptions } from './subscriptions/live-subscriptions.js';
import { WebSocketServer } from './subscriptions/web-socket-server.js';

export interface ServeGraphqlOptions {
  router: Router<Exchange>;
  bus: Bus;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  config: GatewayConfig;
  log: Log;
  metrics: Registry;
}

/** What of GraphQL outlives requests. */
export interface ServedGraphql {
  upgrade: Upgrade;
  /** Ends every subscription, telling why. */
  stop(): Promise<void>;
}

/** Everything at `/graphql`: queries and mutations, subscriptions over SSE and WebSocket, GraphiQL. */
export async function serveGraphql({
  router,
  bus,
  authenticator,
  rateLimiter,
  config,
  log,
  metrics,
}: ServeGraphqlOptions): Promise<ServedGraphql> {
  const isDevelopment = config.NODE_ENV !== 'production';
  const introspection = config.GRAPHQL_INTROSPECTION ?? isDevelopment;
  const schema = buildRosterSchema();
  const checker = new DocumentChecker(schema, { introspection });
  const persisted = config.GRAPHQL_DOCUMENTS
    ? PersistedDocuments.read(config.GRAPHQL_DOCUMENTS)
    : null;
  const live = new LiveSubscriptions(bus, metrics, config.SUBSCRIPTIONS_MAX);
  const options = {
    schema,
    checker,
    persisted,
    live,
    bus,
    authenticator,
    rateLimiter,
    log,
    apollo: await openApollo({ schema, checker, log, introspection }),
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    bodyBytesMax: config.BODY_BYTES_MAX,
    queueMax: config.SUBSCRIPTION_QUEUE_MAX,
    realm: config.SERVICE_NAME,
  };
  const answer = answerGraphql(options);
  const answerStream = answerEventStream(options);
  const sockets = new WebSocketServer(options);
  const hasPage = config.GRAPHIQL ?? isDevelopment;
  if (hasPage) serveGraphiqlAssets(router);
  router.register('/graphql', ['GET', 'POST'], (ctx) => {
    if (hasPage && wantsPage(ctx)) return sendPage(ctx);
    return wantsEventStream(ctx) ? answerStream(ctx) : answer(ctx);
  });
  return {
    upgrade: {
      path: '/graphql',
      take: (request, socket, head) => sockets.upgrade(request, socket, head),
    },
    async stop() {
      live.stop();
      await sockets.stop();
    },
  };
}
