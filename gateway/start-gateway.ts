import { CallerVerifier } from '@roster/bus';
import type { ProcessContext, Started } from '@roster/service';
import type { GatewayConfig } from './config.js';
import { TrustedProxies } from './http/connections/trusted-proxies.js';
import { FailedAuthentications } from './http/exchange/failed-authentications.js';
import { AllowedOrigins } from './http/exchange/allowed-origins.js';
import { openApp } from './http/app.js';
import { openHttpServer } from './http/server/server.js';
import { observeHttp } from './http/observation/metrics.js';
import { serveGraphql } from './graphql/serve-graphql.js';
import { KeyVerifier } from './operations/key-verifier.js';
import { ListedOrigins } from './operations/listed-origins.js';
import { OperationClient } from './operations/operation-client.js';
import { RateLimiter } from './operations/rates/rate-limiter.js';
import { shareRates } from './operations/rates/share-rates.js';
import type { WorkTurns } from './operations/work-turns.js';
import { problemWriter } from './rest/problems/problem.js';
import { restRoutes } from './rest/routes.js';

/** Starts the HTTP server with the REST and GraphQL interfaces. */
export async function startGateway({
  config,
  log,
  metrics,
  bus,
  stopping,
  onRelease,
  turns,
}: Omit<ProcessContext<GatewayConfig>, 'requires' | 'waitFor'> & {
  turns?: WorkTurns | undefined;
}): Promise<Required<Started>> {
  const keys = new KeyVerifier(bus, {
    cacheSeconds: config.KEY_CACHE_SECONDS,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    verifier: config.CALLER_PUBLIC_KEYS && new CallerVerifier(config.CALLER_PUBLIC_KEYS),
  });
  onRelease(() => keys.close());
  const rateLimiter = new RateLimiter({
    keyPerSecond: config.RATE_LIMIT_PER_SECOND,
    workspacePerSecond: config.RATE_LIMIT_WORKSPACE_PER_SECOND,
  });
  onRelease(shareRates(rateLimiter, bus));
  const observer = observeHttp(metrics);
  const proxies = new TrustedProxies(config.TRUSTED_PROXIES);
  const failures = new FailedAuthentications(config.FAILED_AUTHENTICATIONS_PER_MINUTE, proxies);
  const listed = new ListedOrigins(bus, config.REQUEST_TIMEOUT_MS);
  onRelease(() => listed.close());
  const origins = new AllowedOrigins({ configured: config.ALLOWED_ORIGINS, listed, failures });
  const callOptions = {
    client: new OperationClient(bus, rateLimiter, turns),
    keys,
    proxies,
    failures,
    origins,
    rateLimiter,
    log,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    bodyBytesMax: config.BODY_BYTES_MAX,
  };
  const graphql = await serveGraphql({ ...callOptions, bus, config, metrics });
  const refusals = problemWriter;
  const app = openApp({
    origins,
    routes: [...restRoutes(callOptions, config), ...graphql.routes],
    keys,
    refusals,
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
    refusals,
    upgrade: graphql.upgrade,
    proxies,
    connectionsMax: config.CONNECTIONS_MAX,
    connectionsPerAddressMax:
      config.CONNECTIONS_PER_ADDRESS_MAX ?? Math.ceil(config.CONNECTIONS_MAX * 0.75),
    stopping,
  });
  onRelease(() => server.stop());
  // Released first, because the server waits for every connection to end.
  onRelease(() => graphql.stop());
  return { port: server.port };
}
