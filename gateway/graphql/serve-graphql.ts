import type { Bus } from '@roster/bus';
import type { Log } from '@roster/process';
import type { Registry } from 'prom-client';
import { type GatewayConfig, hasGraphiql } from '../config.js';
import { fixed, type Route } from '../http/routes.js';
import { authenticateRequest, type Authentication } from '../http/callers/authenticate.js';
import { limitRate } from '../http/callers/limit-rate.js';
import type { OperationClient } from '../operations/operation-client.js';
import type { RateLimiter } from '../operations/rates/rate-limiter.js';
import type { Upgrade } from '../http/server.js';
import { buildRosterSchema, printedSchema } from './build-schema.js';
import { DocumentChecker } from './document/document-checker.js';
import { graphiqlFiles, sendPage, wantsPage } from './graphiql/serve-graphiql.js';
import { answerGraphql } from './http/answer-graphql.js';
import { openApollo } from './http/open-apollo.js';
import { answerEventStream, wantsEventStream } from './subscriptions/answer-event-stream.js';
import { OpenWebSockets } from './subscriptions/open-web-sockets.js';
import { unreadBytes } from './subscriptions/unread.js';
import { ActivityFeed } from './subscriptions/activity-feed.js';
import { LiveSubscriptions } from './subscriptions/live-subscriptions.js';
import { WebSocketServer } from './subscriptions/web-socket-server.js';

export interface ServeGraphqlOptions extends Authentication {
  bus: Bus;
  client: OperationClient;
  rateLimiter: RateLimiter;
  timeoutMs: number;
  config: GatewayConfig;
  log: Log;
  metrics: Registry;
}

export interface ServedGraphql {
  routes: Route[];
  upgrade: Upgrade;
  /** Ends every subscription with a last result that contains the reason. */
  stop(): Promise<void>;
}

/** The routes below `/graphql`: queries and mutations, subscriptions over SSE and WebSocket, the schema, GraphiQL. */
export async function serveGraphql({
  config,
  ...parts
}: ServeGraphqlOptions): Promise<ServedGraphql> {
  const { bus, keys, log, metrics } = parts;
  const isDevelopment = config.NODE_ENV === 'development';
  const introspection = config.GRAPHQL_INTROSPECTION ?? isDevelopment;
  const schema = buildRosterSchema();
  const checker = new DocumentChecker(schema, { introspection });
  const persisted = config.GRAPHQL_DOCUMENTS ?? null;
  const live = new LiveSubscriptions(bus, keys, metrics, config.SUBSCRIPTIONS_MAX);
  const webSockets = new OpenWebSockets(metrics, config.WEB_SOCKETS_MAX);
  const unread = unreadBytes(metrics);
  const activity = new ActivityFeed(bus);
  const options = {
    ...parts,
    schema,
    checker,
    persisted,
    live,
    activity,
    webSockets,
    unread,
    apollo: await openApollo({ schema, checker, log, introspection }),
    queueMax: config.SUBSCRIPTION_QUEUE_MAX,
    realm: config.SERVICE_NAME,
  };
  const answer = answerGraphql(options);
  const answerStream = answerEventStream(options);
  const sockets = new WebSocketServer(options);
  const hasPage = hasGraphiql(config);
  const route: Route = {
    methods: ['GET', 'POST'],
    path: '/graphql',
    operation: 'graphql',
    answer(ctx) {
      if (hasPage && wantsPage(ctx)) return sendPage(ctx);
      return wantsEventStream(ctx) ? answerStream(ctx) : answer(ctx);
    },
  };
  // Printed when it is first requested: most gateways never are.
  let sendSchema: Route['answer'] | undefined;
  const schemaRoute: Route = {
    methods: ['GET'],
    path: '/graphql/schema.graphql',
    operation: 'graphql-schema',
    async answer(ctx) {
      if (!introspection)
        limitRate(parts.rateLimiter, await authenticateRequest(ctx, parts), ctx.state.headers);
      sendSchema ??= fixed('text/plain; charset=utf-8', Buffer.from(printedSchema(schema)));
      return sendSchema(ctx);
    },
  };
  return {
    routes: [route, schemaRoute, ...(hasPage ? [graphiqlFiles()] : [])],
    upgrade: {
      path: '/graphql',
      handle: (...request) => sockets.upgrade(...request),
    },
    async stop() {
      live.stop();
      await sockets.stop();
    },
  };
}
