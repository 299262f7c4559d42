import { scopes } from '@roster/contracts';
import type { GatewayConfig } from '../../config.js';
import { refusalStatus } from '../../http/refusal.js';
import { problemTypes } from '../problems/problem-types.js';
import { methodsOf, restOperations } from '../rest-operations.js';
import { addAdminPaths, adminSection } from './admin.js';
import { conditionParameters, entityTagHeader, rateHeaderComponents } from './headers.js';
import { describeOperation, operationSchemas } from './operation.js';
import { problemResponses, problemSchema } from './problems.js';
import { addResponseExamples } from './response-examples.js';
import { componentSchemas } from './schemas.js';
import { describeWebhooks, eventSchemas, loggedEventSchemas } from './webhooks.js';

/** The OpenAPI 3.1 document of the REST interface: a projection of the contracts. */
export function openapiDocument({ SERVICE_NAME }: Pick<GatewayConfig, 'SERVICE_NAME'>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of restOperations) {
    const { path } = operation.http;
    for (const method of methodsOf(operation))
      paths[path] = {
        ...paths[path],
        [method.toLowerCase()]: describeOperation(operation, method),
      };
  }
  addAdminPaths(paths);
  const webhooks = describeWebhooks(SERVICE_NAME);
  const named = componentSchemas();
  const schemas = {
    ...named,
    ...loggedEventSchemas(named),
    ...Object.assign({}, ...restOperations.map(operationSchemas)),
    ...adminSection.schemas(),
    ...eventSchemas(),
    Problem: problemSchema(),
  };
  addResponseExamples(paths, schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: SERVICE_NAME,
      version: '1',
      summary: 'Contacts, contact properties, users and webhooks of a workspace.',
      description: introduction,
      contact: { name: `The operator of this installation of ${SERVICE_NAME}` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The server that returned this document' }],
    security: [{ apiKey: [] }],
    tags: [
      ...[...new Set(restOperations.map(({ tag }) => tag)), 'Events'].map((name) => ({
        name,
        ...(tagDescriptions[name] !== undefined && { description: tagDescriptions[name] }),
      })),
      adminSection.tag,
    ],
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'rsk_…',
          description:
            'An API key. It belongs to a user of a workspace and holds one or both of the scopes ' +
            `${scopes.map((scope) => `\`${scope}\``).join(' and ')}. Neither implies the other.`,
        },
        ...adminSection.securityScheme,
      },
      parameters: { IdempotencyKey: idempotencyKey, ...conditionParameters },
      headers: {
        'X-Request-Id': requestIdHeader,
        Link: linkHeader,
        ...entityTagHeader,
        ...rateHeaderComponents,
      },
      responses: problemResponses(),
      schemas,
    },
  };
}

const introduction = [
  'All requests except the one for this document require an API key. Bodies are JSON objects of at most 64 KiB, 16 levels and 5,000 JSON values; those of batches have at most 1 MiB and 20,000 values.',
  'Errors are problem documents (RFC 9457) with one of these codes:',
  Object.keys(problemTypes)
    .map((code) => `\`${code}\` (${refusalStatus[code as keyof typeof refusalStatus]})`)
    .join(', ') + '.',
  'Code samples read the address from the environment variable `ROSTER_URL` and the key from `ROSTER_KEY`.',
  'New fields may be added to response objects. Requests with unknown fields are rejected.',
].join(' ');

const tagDescriptions: Record<string, string> = {
  Contacts: 'Contacts of a workspace.',
  Tags: 'Tags of contacts.',
  'Contact properties': 'Definitions of the custom fields of contacts.',
  Imports: 'Files of contacts that are created and updated in the background.',
  Suppressions: 'Addresses that have unsubscribed, bounced or complained.',
  Users: 'Members of a workspace.',
  'API keys': 'Keys of the workspace, each with an owner and scopes.',
  Tokens: 'Short-lived tokens for web pages.',
  Sessions: 'Browsers in which users signed in to the console, and links that open a session.',
  Origins: 'Origins whose web pages may use the interfaces.',
  Settings: 'Settings of a workspace.',
  Usage: 'What a workspace used, by day.',
  'Audit log':
    'Changes of API keys, sessions, users, webhooks, origins and settings, and imports, with their actors.',
  Deliveries: 'Events sent to webhooks, their attempts, and replays.',
  Webhooks: 'Endpoints that receive events of a workspace.',
  'Event log': 'Events of a workspace, in the order of publication.',
  Meta: 'Version and limits of the installation.',
  Events: 'Requests that Roster sends to webhooks.',
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes the request safe to retry. Use a new key, such as a random UUID, for each change: for 24 hours, a request with the same key and input returns the first response and changes nothing. While the first request is in flight, it is answered idempotency_key_in_use.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
};

const requestIdHeader = {
  description:
    'X-Request-Id of the request (1 to 128 visible ASCII characters), or a generated one.',
  required: true,
  schema: { type: 'string' },
  example: 'req_5d41402abc4b2a76b9719d911017c592',
};

const linkHeader = {
  description:
    'Links to other pages (RFC 8288): `first`, `next` unless this is the last page, and `prev` where the list can be read backwards. The references are relative to the URL of the request. Absent if they are too long together: then use `pagination`.',
  schema: { type: 'string' },
  example:
    '<contacts?limit=50>; rel="first", <contacts?limit=50&after=01jdd2wys0fgyhz8h5dak91jnw>; rel="next"',
};
