import { flag, processConfig } from '@roster/service';
import { z } from 'zod';
import { DocumentsError, PersistedDocuments } from './graphql/http/persisted-documents.js';

const count = (fallback: number, min: number) => z.coerce.number().int().min(min).default(fallback);

export const gatewayConfig = processConfig.extend({
  /** 0 takes a free port. */
  PORT: z.coerce.number().int().min(0).max(65535).default(8080),
  HOST: z.string().min(1).default('127.0.0.1'),
  /** The word in `X-<SERVICE_NAME>-Signature`, in the realm of 401s and in the reference. */
  SERVICE_NAME: z
    .string()
    .regex(
      /^[A-Za-z][A-Za-z0-9-]{0,63}$/,
      'must consist of letters, digits and dashes, because it is part of header names',
    )
    .default('Roster'),
  /** How long a service may take to answer one request. */
  REQUEST_TIMEOUT_MS: count(5000, 1),
  BODY_BYTES_MAX: count(1024 * 1024, 1),
  /** Requests in flight at once; further ones wait for a place, or are answered 503. */
  MAX_CONCURRENT: count(224, 1),
  /** Requests per second and key that this process lets through; 0 sets no limit. */
  RATE_LIMIT_PER_SECOND: count(0, 0),
  /** How long a key is trusted without asking again. Revocations are heard of at once. */
  KEY_CACHE_SECONDS: count(5, 0),
  /** `production` turns off what only developers need, where it is not turned on by name. */
  NODE_ENV: z.string().default('development'),
  GRAPHQL_INTROSPECTION: flag.optional(),
  /** The page at `GET /graphql`. */
  GRAPHIQL: flag.optional(),
  /** A JSON file of documents by their SHA-256: GraphQL answers these and no other. */
  GRAPHQL_DOCUMENTS: z.string().min(1).transform(readDocuments).optional(),
  /** Subscriptions of this process at once. */
  SUBSCRIPTIONS_MAX: count(1000, 0),
  /** Events that may wait for a slow subscriber before its subscription is ended. */
  SUBSCRIPTION_QUEUE_MAX: count(256, 1),
});

export type GatewayConfig = z.output<typeof gatewayConfig>;

function readDocuments(path: string, context: z.RefinementCtx): PersistedDocuments {
  try {
    return PersistedDocuments.read(path);
  } catch (error) {
    if (!(error instanceof DocumentsError)) throw error;
    context.addIssue(error.message);
    return z.NEVER;
  }
}
