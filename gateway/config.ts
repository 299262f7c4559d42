import { isOrigin } from '@roster/contracts';
import { commaList, flag, processConfig, serviceNameConfig } from '@roster/process';
import { z } from 'zod';
import { TrustedProxies } from './http/connections/trusted-proxies.js';
import { DocumentsError, PersistedDocuments } from './graphql/http/persisted-documents.js';

const count = (fallback: number, min: number) => z.coerce.number().int().min(min).default(fallback);

export const gatewayConfig = processConfig.extend(serviceNameConfig.shape).extend({
  PORT: z.coerce.number().int().min(0).max(65535).default(8080).describe('0 selects a free port'),
  HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  REQUEST_TIMEOUT_MS: count(5000, 1).describe('Deadline of a call to a service'),
  MAX_CONCURRENT: count(256, 1).describe(
    'Maximum number of requests in flight, 7/8 of it for one workspace. Further requests wait for a slot, or are answered 503',
  ),
  CONNECTIONS_MAX: count(8192, 1).describe(
    'Maximum number of open connections. An idle one takes 14 KiB of memory, one whose headers are in transit up to 16 KiB more',
  ),
  CONNECTIONS_PER_ADDRESS_MAX: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'Maximum number of open connections from one IPv4 address or one /64 network of IPv6; without it, three quarters of `CONNECTIONS_MAX`',
    ),
  RATE_LIMIT_PER_SECOND: count(30_000, 0).describe(
    'Requests per key, of all gateways together; 0: no limit. The default is about what one gateway answers',
  ),
  RATE_LIMIT_WORKSPACE_PER_SECOND: count(60_000, 0).describe(
    'Requests per workspace, of all gateways together; 0: no limit',
  ),
  FAILED_AUTHENTICATIONS_PER_MINUTE: count(300, 0).describe(
    'Invalid keys, and as many unknown sessions, unsubscribe links and origins each, per IPv4 address or /64 network of IPv6, and process; 0: no limit',
  ),
  TRUSTED_PROXIES: commaList
    .refine(areRanges, {
      error: 'must be CIDR ranges, separated by commas',
    })
    .describe(
      'CIDR ranges of the reverse proxies whose `Forwarded` and `X-Forwarded-For` identify the address of the client, separated by commas',
    ),
  ALLOWED_ORIGINS: commaList
    .refine((all) => all.every(isOrigin), {
      error: 'must be origins such as https://app.example.com, separated by commas',
    })
    .describe(
      'Origins whose web pages may use the interfaces (CORS and WebSockets) with the keys of any workspace, besides those that the workspace lists, such as `https://app.example.com`, separated by commas',
    ),
  KEY_CACHE_SECONDS: count(5, 0).describe(
    'How long a verified key is cached. Revocations are broadcast and take effect at once',
  ),
  NODE_ENV: z
    .string()
    .default('production')
    .describe(
      '`development` enables introspection and GraphiQL, unless disabled explicitly, and allows the origins `http://localhost`, `http://127.0.0.1` and `http://[::1]` with any port; `npm start` sets it',
    ),
  GRAPHQL_INTROSPECTION: flag.optional().describe('`true` or `false`; overrides `NODE_ENV`'),
  GRAPHIQL: flag
    .optional()
    .describe('The page at `GET /graphql`: `true` or `false`; overrides `NODE_ENV`'),
  GRAPHQL_DOCUMENTS: z
    .string()
    .min(1)
    .transform(readDocuments)
    .optional()
    .describe(
      'JSON file of documents by their SHA-256. All other documents are rejected. A file that cannot be used ends the process with code 78',
    ),
  SUBSCRIPTIONS_MAX: count(1000, 0).describe(
    'Maximum number of open subscriptions of this process',
  ),
  WEB_SOCKETS_MAX: count(1000, 0).describe('Maximum number of open WebSockets of this process'),
  SUBSCRIPTION_QUEUE_MAX: count(256, 1).describe(
    'Maximum number of events queued for a slow subscriber before it is disconnected; a write announces up to 50 at once',
  ),
});

export type GatewayConfig = z.output<typeof gatewayConfig>;

/** Whether browsers get GraphiQL at `/graphql`. */
export const hasGraphiql = ({ GRAPHIQL, NODE_ENV }: GatewayConfig): boolean =>
  GRAPHIQL ?? NODE_ENV === 'development';

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
