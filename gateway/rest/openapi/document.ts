import { scopes } from '@roster/contracts';
import type { GatewayConfig } from '../../config.js';
import { problemStatus, problemTypes } from '../../http/problem-types.js';
import { restOperations } from '../rest-operations.js';
import { describeOperation } from './operation.js';
import { problemResponses, problemSchema } from './problems.js';
import { componentSchemas } from './schemas.js';
import { describeWebhooks } from './webhooks.js';

/** The OpenAPI 3.1 document of the REST interface: a projection of the contracts. */
export function openapiDocument({ SERVICE_NAME }: Pick<GatewayConfig, 'SERVICE_NAME'>): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of restOperations) {
    const { path, method } = operation.http;
    paths[path] = { ...paths[path], [method.toLowerCase()]: describeOperation(operation) };
  }
  const webhooks = describeWebhooks(SERVICE_NAME);
  return {
    openapi: '3.1.0',
    info: {
      title: SERVICE_NAME,
      version: '1',
      summary: 'Contacts, contact properties, users and webhooks of a workspace.',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'Where this document came from' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(restOperations.map(({ http }) => http.tag)), 'Events'].map((name) => ({
      name,
      description: tagDescriptions[name] ?? name,
    })),
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
            `${scopes.map((scope) => `\`${scope}\``).join(' and ')}; neither implies the other.`,
        },
      },
      parameters: { IdempotencyKey: idempotencyKey },
      headers: { 'X-Request-Id': requestIdHeader },
      responses: problemResponses(),
      schemas: { ...componentSchemas(), Problem: problemSchema() },
    },
  };
}

const introduction = [
  'Every request but the one for this document carries an API key. Bodies are JSON objects of at most 1 MiB.',
  'Refusals are problem documents (RFC 9457); their codes:',
  Object.keys(problemTypes)
    .map((code) => `\`${code}\` (${problemStatus[code as keyof typeof problemStatus]})`)
    .join(', ') + '.',
  'Objects in responses may gain fields; requests refuse fields they do not know.',
].join(' ');

const tagDescriptions: Record<string, string> = {
  Contacts: 'The people a workspace writes to.',
  'Contact properties': 'Definitions of the custom fields of contacts.',
  Users: 'The people who work in a workspace.',
  Webhooks: 'Where events of the workspace are sent.',
  Events: 'What a webhook receives.',
};

const idempotencyKey = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Makes a repeated request answer as the first one did, for 24 hours, instead of changing something again.',
  schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
  example: '4f7c2a52-import-17',
};

const requestIdHeader = {
  description:
    "The request's own X-Request-Id (1 to 128 visible ASCII characters), or one made for it.",
  schema: { type: 'string' },
  example: 'req_5d41402abc4b2a76b9719d911017c592',
};
