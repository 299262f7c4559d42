import { commonFaults, type FaultCode } from '@roster/contracts';
import { fieldsOf, type OperationFields, type RestOperation } from '../rest-operations.js';
import { locationOf } from '../location.js';
import { requestExamples } from './examples.js';
import { faultResponses } from './problems.js';
import { schemaOf, type Schema } from './schemas.js';

/** OpenAPI operation object of an operation. */
export function describeOperation(operation: RestOperation): object {
  const { name, summary, scope, tag, http, access, faults } = operation;
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
    ...fields.query.map((field) => describeQueryParameter(field, properties[field]!, input)),
    ...(access === 'write' ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
  ];
  const codes = new Set<FaultCode>([...commonFaults, ...faults, ...(takesBody ? bodyFaults : [])]);
  return {
    operationId: name,
    summary,
    description: `Requires the scope \`${scope}\`.`,
    tags: [tag],
    ...(parameters.length > 0 && { parameters }),
    ...(takesBody && { requestBody: describeBody(operation, input, fields) }),
    responses: {
      [http.status]: describeSuccess(operation),
      ...(http.statusWhen && { [http.statusWhen.status]: describeSuccess(operation) }),
      ...faultResponses([...codes]),
    },
  };
}

const bodyFaults = ['invalid_json', 'payload_too_large', 'unsupported_media_type'] as const;

function describeQueryParameter(name: string, schema: Schema, input: Schema): object {
  const { description, ...rest } = schema;
  return {
    name,
    in: 'query',
    required: input.required?.includes(name) ?? false,
    ...(description !== undefined && { description }),
    schema: rest,
  };
}

function describeBody(
  { name }: RestOperation,
  input: Schema,
  { body, bodyRequired }: OperationFields,
): object {
  const required = body.filter((field) => input.required?.includes(field));
  return {
    required: bodyRequired,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries(body.map((field) => [field, input.properties![field]])),
          ...(required.length > 0 && { required }),
          additionalProperties: false,
        },
        ...(requestExamples[name] !== undefined && { example: requestExamples[name] }),
      },
    },
  };
}

function describeSuccess(operation: RestOperation): object {
  const { status } = operation.http;
  const location = {
    description: 'Path of the created resource.',
    schema: { type: 'string', format: 'uri-reference' },
  };
  return {
    description: status === 201 ? 'Created' : 'Done',
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(status === 201 && locationOf(operation) && { Location: location }),
    },
    content: { 'application/json': { schema: schemaOf(operation.output, 'output') } },
  };
}
