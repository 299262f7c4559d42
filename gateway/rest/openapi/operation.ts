import {
  commonFaults,
  requiresNaming,
  schemaNames,
  scopesOf,
  writeFaults,
  type FaultCode,
} from '@roster/contracts';
import { patchTypes } from '../../http/body/read-json.js';
import type { HttpMethod } from '../../http/routes.js';
import { fieldsOf, type OperationFields, type RestOperation } from '../rest-operations.js';
import { locationOf } from '../answer-operation.js';
import { pageLinksOf } from '../page-links.js';
import { codeSamples } from './code-samples.js';
import { conditionsOf, entityTagOf, notModified, rateHeaders } from './headers.js';
import { fileExamples, requestExamples } from './examples.js';
import { faultResponses } from './problems.js';
import { bodySchemaOf, reference, type Schema, schemaOf } from './schemas.js';

/** OpenAPI operation object of an operation with one of its methods. */
export function describeOperation(operation: RestOperation, method: HttpMethod): object {
  const { name, summary, tag, http, access, faults } = operation;
  const fields = fieldsOf(operation);
  const input = schemaOf(operation.input, 'input');
  const properties = (input.properties ?? {}) as Record<string, Schema>;
  const takesBody = fields.body.length > 0;
  const parameters = [
    ...fields.path.map((field) => ({
      name: field,
      in: 'path',
      required: true,
      schema: properties[field],
    })),
    ...fields.query.map((field) =>
      describeQueryParameter(field, properties[field]!, takesBody ? {} : input),
    ),
    ...(access === 'write' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...conditionsOf(operation),
  ];
  const codes = new Set<FaultCode>([
    ...commonFaults,
    ...(access === 'write' ? writeFaults : []),
    ...faults,
    ...(method === 'GET' || http.upload ? [] : bodyFaults),
    ...(http.upload ? uploadFaults : []),
  ]);
  return {
    operationId: operationIdOf(name, method),
    summary,
    description: describeScopes(operation) + (method === 'PATCH' ? ` ${mergePatch}` : ''),
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: describeBody(operation, fields, method) }),
    ...(http.upload && { requestBody: describeUpload(http.upload.mediaTypes) }),
    responses: {
      [http.status]: describeSuccess(operation, http.status),
      ...Object.fromEntries(
        [http.statusWhen, http.statusUnless].flatMap((other) =>
          other ? [[other.status, describeSuccess(operation, other.status)]] : [],
        ),
      ),
      ...notModified(operation),
      ...faultResponses([...codes]),
    },
    'x-codeSamples': codeSamples(operation, method),
  };
}

/** `contacts.patch` for a PATCH of `contacts.update`: IDs must be unique. */
const operationIdOf = (name: string, method: HttpMethod): string =>
  method === 'PATCH' ? name.replace(/(?<=\.)update/, 'patch') : name;

const mergePatch =
  'The same as PUT, also for browser tokens, which name the operation of PUT. In a merge patch (RFC 7396), `null` removes a member of an object of strings; other fields cannot be removed.';

const replayedHeader = {
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request with the same key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

function describeScopes(operation: RestOperation): string {
  const required = scopesOf(operation).map((scope) => `\`${scope}\``);
  const needed =
    required.length === 0
      ? 'Requires no scope.'
      : `Requires the ${required.length > 1 ? 'scopes' : 'scope'} ${required.join(' and ')}.`;
  if (operation.requiresKey) return `${needed} Browser tokens cannot call it.`;
  return requiresNaming(operation) ? `${needed} Browser tokens must name it.` : needed;
}

const uploadFaults = ['payload_too_large', 'unsupported_media_type'] as const;
const bodyFaults = ['invalid_json', ...uploadFaults] as const;

function describeQueryParameter(name: string, schema: Schema, input: Schema): object {
  const { description, ...rest } = schema;
  return {
    name,
    in: 'query',
    required: input.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    ...(schema.type === 'array' || schema.type === 'object'
      ? { style: 'form', explode: true }
      : {}),
    schema: schema.type === 'object' ? entriesOf(rest) : rest,
  };
}

/** An object in a query: its entries as `name:value`, each of which is a parameter. */
function entriesOf({ propertyNames, maxProperties, additionalProperties }: Schema): Schema {
  const { pattern = '^[\\s\\S]*$' } = propertyNames as { pattern?: string };
  const { anyOf = [] } = (additionalProperties ?? {}) as Schema;
  const each = Math.max(1, ...anyOf.map(({ maxItems = 1 }) => maxItems));
  return {
    type: 'array',
    uniqueItems: true,
    items: { type: 'string', pattern: pattern.replace(/\$$/, ':') },
    ...(maxProperties !== undefined && { maxItems: maxProperties * each }),
  };
}

function describeBody(
  operation: RestOperation,
  { bodyRequired }: OperationFields,
  method: HttpMethod,
): object {
  const example = requestExamples[operation.name];
  const body = {
    schema: reference(schemaNames(operation).input),
    ...(example !== undefined && { example }),
  };
  const types = method === 'PATCH' ? patchTypes.split(', ') : ['application/json'];
  return { required: bodyRequired, content: Object.fromEntries(types.map((type) => [type, body])) };
}

/** What a generator or an explorer takes for a file to choose. */
const anyFile = { type: 'string', format: 'binary', minLength: 1 } as const;
const uploads: Record<string, object> = {
  'application/octet-stream': { schema: anyFile },
  'multipart/form-data': {
    schema: { type: 'object', properties: { file: anyFile }, required: ['file'] },
  },
};

const describeUpload = (types: readonly string[]): object => ({
  required: true,
  content: Object.fromEntries(
    types.map((type) => [
      type,
      uploads[type] ?? { schema: { type: 'string', minLength: 1 }, example: fileExamples[type] },
    ]),
  ),
});

/** The schemas of the body and of the response of an operation, by their names. */
export function operationSchemas(operation: RestOperation): Record<string, Schema> {
  const { body } = fieldsOf(operation);
  const names = schemaNames(operation);
  return {
    ...(body.length > 0 && { [names.input]: bodySchema(operation, body) }),
    ...(!operation.http.file && { [names.output]: schemaOf(operation.output, 'output') }),
  };
}

function bodySchema(operation: RestOperation, body: readonly string[]): Schema {
  const input = bodySchemaOf(operation.input);
  const { query = [] } = operation.http;
  const required = body.filter(
    (field) => input.required?.includes(field) && !query.includes(field),
  );
  return {
    type: 'object',
    properties: Object.fromEntries(body.map((field) => [field, input.properties![field]!])),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function describeSuccess(operation: RestOperation, status: number): object {
  const location = {
    description: 'Path of the created resource.',
    required: true,
    schema: { type: 'string', format: 'uri-reference' },
  };
  return {
    description: descriptions[status],
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...rateHeaders,
      ...(operation.access === 'write' && replayedHeader),
      ...entityTagOf(operation),
      ...(pageLinksOf(operation) && { Link: { $ref: '#/components/headers/Link' } }),
      ...(isCreation(operation, status) && locationOf(operation) && { Location: location }),
      ...(operation.http.file && { 'Content-Disposition': disposition }),
    },
    content: operation.http.file
      ? describeFile(operation.http.file)
      : { 'application/json': { schema: reference(schemaNames(operation).output) } },
  };
}

const descriptions: Record<number, string> = { 200: 'Done', 201: 'Created', 202: 'Accepted' };

const isCreation = ({ http }: RestOperation, status: number): boolean =>
  status === 201 || (status === 202 && status === http.status);

const disposition = {
  description: 'Name of the file.',
  required: true,
  schema: { type: 'string' },
  example: 'attachment; filename="contacts.csv"',
};

const describeFile = (types: readonly string[]): object =>
  Object.fromEntries(types.map((type) => [type, { schema: { type: 'string' } }]));
