import { isOrigin } from '@roster/contracts';
import { commaList, flag, processConfig, serviceNameConfig } from '@roster/process';
import { z } from 'zod';
import { TrustedProxies } from './http/connections/trusted-proxies.js';
import { DocumentsError, PersistedDocuments } from './graphql/http/persisted-documents.js';

const count = (fallback: number, min: number) => z.coerce.number().int().min(min).default(fallback);

export const gatewayConfig = processConfig.extend(serviceNameConfig.shape).extend({
  /** 0 selects a free port. */
  PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** Deadline of a call to a service. */
  REQUEST_TIMEOUT_MS: count(5000, 1),
  /** Maximum number of requests in flight, 7/8 of it for one workspace. Further requests are queued for a slot, or answered 503. */
  MAX_CONCURRENT: count(256, 1),
  /** Maximum number of open connections. An idle one takes 14 KiB, one whose headers are in transit up to 16 KiB more. */
  CONNECTIONS_MAX: count(8192, 1),
  /** Maximum number of open connections from one IPv4 address, or one /64 network of IPv6; three quarters by default. */
  CONNECTIONS_PER_ADDRESS_MAX: z.coerce.number().int().min(1).optional(),
  /** Maximum number of requests per second and key, of all gateways; 0 sets no limit. By default, about what one gateway answers. */
  RATE_LIMIT_PER_SECOND: count(30_000, 0),
  /** Maximum number of requests per second and workspace, of all gateways; 0 sets no limit. */
  RATE_LIMIT_WORKSPACE_PER_SECOND: count(60_000, 0),
  /**
   * Maximum number of invalid keys, and as many unknown origins and unsubscribe links each, per minute from one IPv4 address, or one
   * /64 network of IPv6, and process; 0 sets no limit.
   */
  FAILED_AUTHENTICATIONS_PER_MINUTE: count(300, 0),
  /** CIDR ranges of the reverse proxies whose `Forwarded` and `X-Forwarded-For` identify the client's address. */
  TRUSTED_PROXIES: commaList.refine(areRanges, {
    error: 'must be CIDR ranges, separated by commas',
  }),
  /** Origins whose web pages may use the interfaces, separated by commas. */
  ALLOWED_ORIGINS: commaList.refine((all) => all.every(isOrigin), {
    error: 'must be origins such as https://app.example.com, separated by commas',
  }),
  /** How long a verified key is cached. Revocations are broadcast and take effect immediately. */
  KEY_CACHE_SECONDS: count(5, 0),
  /** `development` enables the features for developers below, unless they are disabled explicitly. */
  NODE_ENV: z.string().default('production'),
  GRAPHQL_INTROSPECTION: flag.optional(),
  /** The page at `GET /graphql`. */
  GRAPHIQL: flag.optional(),
  /** A JSON file of documents by their SHA-256. All other documents are rejected. */
  GRAPHQL_DOCUMENTS: z.string().min(1).transform(readDocuments).optional(),
  /** Maximum number of open subscriptions of this process. */
  SUBSCRIPTIONS_MAX: count(1000, 0),
  /** Maximum number of open WebSockets of this process. */
  WEB_SOCKETS_MAX: count(1000, 0),
  /** Maximum number of events queued for a slow subscriber before its subscription is ended. */
  SUBSCRIPTION_QUEUE_MAX: count(256, 1),
});

export type GatewayConfig = z.output<typeof gatewayConfig>;

function areRanges(texts: string[]): boolean {
  try {
    return Boolean(new TrustedProxies(texts));
  } catch {
    return false;
  }
}

function readDocuments(path: string, context: z.RefinementCtx): PersistedDocuments {
  try {
    return PersistedDocuments.read(path);
  } catch (error) {
    if (!(error instanceof DocumentsError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
}
