import type { Router } from '@koa/router';
import type { Bus } from '@roster/bus';
import type { Log } from '@roster/service';
import type { GatewayConfig } from '../config.js';
import type { Authenticator } from '../http/authenticate.js';
import type { Exchange } from '../http/exchange.js';
import type { RateLimiter } from '../http/rate-limit.js';
import { buildRosterSchema } from './build-schema.js';
import { DocumentChecker } from './document/document-checker.js';
import { answerGraphql } from './http/answer-graphql.js';
import { openApollo } from './http/open-apollo.js';
import { PersistedDocuments } from './http/persisted-documents.js';

export interface ServeGraphqlOptions {
  router: Router<Exchange>;
  bus: Bus;
  authenticator: Authenticator;
  rateLimiter: RateLimiter;
  config: GatewayConfig;
  log: Log;
}

/** Everything at `/graphql`. */
export async function serveGraphql({
  router,
  bus,
  authenticator,
  rateLimiter,
  config,
  log,
}: ServeGraphqlOptions): Promise<void> {
  const isDevelopment = config.NODE_ENV !== 'production';
  const introspection = config.GRAPHQL_INTROSPECTION ?? isDevelopment;
  const schema = buildRosterSchema();
  const checker = new DocumentChecker(schema, { introspection });
  const persisted = config.GRAPHQL_DOCUMENTS
    ? PersistedDocuments.read(config.GRAPHQL_DOCUMENTS)
    : null;
  const apollo = await openApollo({ schema, checker, log, introspection });
  const answer = answerGraphql({
    bus,
    authenticator,
    rateLimiter,
    apollo,
    persisted,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    bodyBytesMax: config.BODY_BYTES_MAX,
    realm: config.SERVICE_NAME,
  });
  router.register('/graphql', ['GET', 'POST'], answer);
}
