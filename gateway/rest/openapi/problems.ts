import { httpStatus, type FaultCode } from '@roster/contracts';
import { rateHeaders } from './headers.js';
import { problemExamples } from '../problems/problem-examples.js';
import { problemTypes } from '../problems/problem-types.js';

/** Component name of the response of a fault. */
export const responseName = (code: FaultCode): string =>
  code.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Responses of these faults, by status: references, unless several faults have the same status. */
export function faultResponses(codes: readonly FaultCode[]): Record<string, object> {
  const byStatus = Map.groupBy(
    codes.toSorted((a, b) => httpStatus[a] - httpStatus[b]),
    (code) => httpStatus[code],
  );
  return Object.fromEntries(
    [...byStatus].map(([status, own]) => {
      const [code, ...others] = own;
      const shared = Object.keys(sharedResponses).find(
        (name) => String(sharedResponses[name]) === String(own),
      );
      const name = others.length === 0 ? responseName(code!) : shared;
      return [
        status,
        name === undefined
          ? responseOf(code!, ...others)
          : { $ref: `#/components/responses/${name}` },
      ];
    }),
  );
}

/** Responses of several faults of a status, which most operations have. */
const sharedResponses: Record<string, readonly [FaultCode, ...FaultCode[]]> = {
  Forbidden: ['insufficient_scope', 'workspace_suspended'],
  TooManyRequests: ['rate_limited', 'daily_quota_exceeded'],
};

/** Faults that no operation has as the only one of their status, or at all. */
const withoutResponse: readonly FaultCode[] = [
  'insufficient_scope',
  'workspace_suspended',
  'quota_exceeded',
  'rate_limited',
  'daily_quota_exceeded',
  'method_not_allowed',
  'limit_reached',
  'idempotency_key_reused',
];

/** Responses that operations refer to. */
export function problemResponses(): Record<string, object> {
  const codes = (Object.keys(httpStatus) as FaultCode[]).filter(
    (code) => !withoutResponse.includes(code),
  );
  return Object.fromEntries([
    ...codes.map((code) => [responseName(code), responseOf(code)]),
    ...Object.entries(sharedResponses).map(([name, own]) => [name, responseOf(...own)]),
  ]);
}

function responseOf(code: FaultCode, ...others: FaultCode[]): object {
  const { title } = problemTypes[code];
  const { request: _, headers: __, ...details } = problemExamples[code];
  return {
    description: [code, ...others].map(describe).join(' '),
    'x-codes': [code, ...others],
    headers: {
      'X-Request-Id': { $ref: '#/components/headers/X-Request-Id' },
      ...(!uncounted.includes(code) && rateHeaders),
      ...headersOf[code],
    },
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/Problem' },
        example: {
          type: `/problems/${code}`,
          title,
          status: httpStatus[code],
          code,
          requestId: 'req_5d41402abc4b2a76b9719d911017c592',
          ...details,
        },
      },
    },
  };
}

function describe(code: FaultCode): string {
  const { title, meaning, remedy } = problemTypes[code];
  return `${title}. ${meaning} ${remedy}`;
}

/** Rejected before the request is counted. */
const uncounted: readonly FaultCode[] = ['unauthenticated', 'insufficient_scope'];

const challenge = {
  'WWW-Authenticate': {
    description: 'Authentication scheme and error (RFC 6750).',
    schema: { type: 'string' },
  },
};
const retryAfter = {
  'Retry-After': {
    description: 'Seconds to wait before retrying.',
    schema: { type: 'integer', minimum: 0 },
  },
};

const headersOf: Partial<Record<FaultCode, object>> = {
  unauthenticated: challenge,
  insufficient_scope: challenge,
  rate_limited: retryAfter,
  idempotency_key_in_use: retryAfter,
  unavailable: retryAfter,
};

export function problemSchema(): object {
  return {
    type: 'object',
    description: 'A problem document (RFC 9457).',
    properties: {
      type: {
        type: 'string',
        format: 'uri-reference',
        description: 'Documentation page of this problem type.',
      },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'Human-readable explanation of this occurrence.' },
      code: {
        type: 'string',
        enum: Object.keys(problemTypes),
        description: 'Machine-readable error code.',
      },
      requestId: { type: 'string' },
      traceId: { type: 'string', description: 'ID of the trace, if the request is traced.' },
      errors: {
        type: 'array',
        description:
          'The first invalid fields, for `invalid`; the field whose value another resource has, for `conflict`.',
        items: {
          type: 'object',
          properties: {
            pointer: {
              type: 'string',
              description:
                'JSON Pointer (RFC 6901) into the body, or `/` followed by the name of a query parameter.',
            },
            message: { type: 'string' },
          },
          required: ['pointer', 'message'],
        },
      },
      existingId: {
        type: 'string',
        description: 'ID of the conflicting resource, for `conflict`.',
      },
      entityTag: {
        type: 'string',
        description: 'Entity tag of the resource, for `precondition_failed`, as in ETag.',
      },
      retryAfterSeconds: { type: 'integer', description: 'Same value as Retry-After.' },
    },
    required: ['type', 'title', 'status', 'detail', 'code', 'requestId'],
  };
}
