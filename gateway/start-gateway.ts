import { CallerVerifier } from '@roster/bus';
import type { ProcessContext, Started } from '@roster/process';
import { type GatewayConfig, hasGraphiql } from './config.js';
import { TrustedProxies } from './http/connections/trusted-proxies.js';
import { FailedLookUps } from './http/callers/failed-look-ups.js';
import { AllowedOrigins } from './http/callers/allowed-origins.js';
import { openApp } from './http/app.js';
import { openHttpServer } from './http/server.js';
import { type HttpObserver, observeHttp } from './http/observation.js';
import { serveGraphql } from './graphql/serve-graphql.js';
import { AdminClient } from './operations/admin-client.js';
import { KeyVerifier } from './operations/key-verifier.js';
import { LinkClient } from './operations/link-client.js';
import { ListedOrigins } from './operations/listed-origins.js';
import { SessionClient } from './operations/session-client.js';
import { OperationClient } from './operations/operation-client.js';
import { RateLimiter, shareRates } from './operations/rates/rate-limiter.js';
import { reportUsage } from './operations/rates/usage.js';
import { consoleRoutes } from './pages/console-routes.js';
import { identityRoutes } from './pages/identity-routes.js';
import { notFoundPage } from './pages/not-found-page.js';
import { sessionRoutes } from './pages/session-routes.js';
import { problemWriter } from './rest/problems/problem.js';
import { exportLimits, type ExportLimits, type RestOptions } from './rest/rest-options.js';
import { restRoutes } from './rest/routes.js';

type GatewayContext = Omit<ProcessContext<GatewayConfig>, 'requires' | 'waitFor'> & {
  exportLimits?: Partial<ExportLimits> | undefined;
};

/** Starts the HTTP server with the REST and GraphQL interfaces. */
export async function startGateway(context: GatewayContext): Promise<Required<Started>> {
  const { config, log, metrics, bus, stopping, onShutdown } = context;
  const observer = observeHttp(metrics);
  const callOptions = openCalls(context, observer);
  const { keys, origins, proxies } = callOptions;
  const graphql = await serveGraphql({ ...callOptions, bus, config, metrics });
  const refusals = problemWriter;
  const app = openApp({
    origins,
    routes: [
      ...restRoutes(callOptions, config),
      ...graphql.routes,
      ...sessionRoutes(callOptions),
      ...identityRoutes(callOptions),
      ...consoleRoutes(),
    ],
    keys,
    refusals,
    notFound: notFoundPage,
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
  onShutdown(() => server.stop());
  // Released first, because the server waits for every connection to end.
  onShutdown(() => graphql.stop());
  return { port: server.port };
}

/** What authenticates, bounds and sends the calls of both interfaces. */
function openCalls(
  { config, log, bus, onShutdown, exportLimits: limits }: GatewayContext,
  observer: HttpObserver,
): RestOptions {
  const rateLimiter = new RateLimiter({
    keyPerSecond: config.RATE_LIMIT_PER_SECOND,
    workspacePerSecond: config.RATE_LIMIT_WORKSPACE_PER_SECOND,
  });
  const keys = new KeyVerifier(bus, {
    cacheSeconds: config.KEY_CACHE_SECONDS,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    verifier: config.CALLER_PUBLIC_KEYS && new CallerVerifier(config.CALLER_PUBLIC_KEYS),
    onQuota: (workspaceId, quota) => rateLimiter.usage.limit(workspaceId, quota),
  });
  onShutdown(() => keys.close());
  onShutdown(shareRates(rateLimiter, bus));
  onShutdown(reportUsage(rateLimiter.usage, bus, log));
  const proxies = new TrustedProxies(config.TRUSTED_PROXIES);
  const failures = (what: string) =>
    new FailedLookUps(config.FAILED_AUTHENTICATIONS_PER_MINUTE, proxies, what);
  const listed = new ListedOrigins(bus, config.REQUEST_TIMEOUT_MS);
  onShutdown(() => listed.close());
  return {
    client: new OperationClient(bus, rateLimiter),
    links: new LinkClient(bus, config.REQUEST_TIMEOUT_MS),
    keys,
    proxies,
    failures: failures('invalid API keys'),
    unknownLinks: failures('unknown links'),
    admin: new AdminClient(bus, config.REQUEST_TIMEOUT_MS),
    failedAdmins: failures('invalid admin keys'),
    sessions: new SessionClient(bus, config.REQUEST_TIMEOUT_MS),
    failedSessions: failures('unknown sessions, links and API keys'),
    origins: new AllowedOrigins({
      configured: config.ALLOWED_ORIGINS,
      isDevelopment: config.NODE_ENV === 'development',
      hasGraphiql: hasGraphiql(config),
      listed,
      failures: failures('unknown origins'),
    }),
    rateLimiter,
    log,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    exports: { limits: { ...exportLimits, ...limits }, onEnded: observer.exportEnded },
  };
}
