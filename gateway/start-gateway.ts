import type { ProcessContext, Started } from '@roster/service';
import type { GatewayConfig } from './config.js';
import { openApp } from './http/app.js';
import { Authenticator } from './http/authenticate.js';
import { KeyVerifier } from './http/key-verifier.js';
import { openHttpServer } from './http/server.js';
import { observeHttp } from './http/metrics.js';
import { RateLimiter } from './http/rate-limit.js';
import { serveGraphql } from './graphql/serve-graphql.js';
import { restRouter } from './rest/router.js';

/** Everything between an HTTP request and the bus. */
export async function startGateway({
  config,
  log,
  metrics,
  bus,
  onRelease,
}: Omit<ProcessContext<GatewayConfig>, 'requires'>): Promise<Required<Started>> {
  const keys = new KeyVerifier(bus, {
    cacheSeconds: config.KEY_CACHE_SECONDS,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
  });
  onRelease(() => keys.close());
  const observer = observeHttp(metrics);
  const authenticator = new Authenticator(keys, config.SERVICE_NAME);
  const rateLimiter = new RateLimiter(config.RATE_LIMIT_PER_SECOND);
  const router = restRouter({ bus, config, authenticator, rateLimiter });
  const graphql = await serveGraphql({
    router,
    bus,
    config,
    authenticator,
    rateLimiter,
    log,
    metrics,
  });
  const app = openApp({
    router,
    log,
    observer,
    concurrencyMax: config.MAX_CONCURRENT,
    realm: config.SERVICE_NAME,
  });
  const server = await openHttpServer(app, {
    port: config.PORT,
    host: config.HOST,
    log,
    observer,
    upgrade: graphql.upgrade,
  });
  onRelease(() => server.stop(config.DRAIN_DELAY_MS));
  // First: the server waits until every connection is done.
  onRelease(() => graphql.stop());
  return { port: server.port };
}
