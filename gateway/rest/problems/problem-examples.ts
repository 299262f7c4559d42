import {
  contactQuotaExceeded,
  faultMessages,
  invalidFields,
  notFound,
  workspaceSuspended,
  type FaultDetails,
} from '@roster/contracts';
import type { RefusalCode } from '../../http/refusal.js';

/** A request that is answered with a problem. In it, `rsk_…` stands for an API key, and another `…` for a text that is too long. */
export interface ProblemExample extends FaultDetails {
  /** Method, target, and the headers and the body that matter. */
  request: string;
  detail: string;
  /** Headers of the response that belong to the problem. */
  headers?: Readonly<Record<string, string>>;
}

const id = 'cont_01jdd2wys0fgyhz8h5dak91jnw';
const key = 'Authorization: Bearer rsk_…';
const json = 'Content-Type: application/json';
const idempotencyKey = 'Idempotency-Key: order-7-contact';
const create = ['POST /v1/contacts', key, json];
const text = (...lines: string[]): string => lines.join('\n');
const retryAfter = (seconds: number) => ({
  retryAfterSeconds: seconds,
  headers: { 'Retry-After': String(seconds) },
});

const wrongFields = [
  {
    pointer: '/email',
    message:
      'must be an email address of at most 254 bytes, with at most 64 characters before the @ and a domain name after it',
  },
  { pointer: '/nmae', message: 'is not a known field' },
];

/** An example of each problem, shown on its page. */
export const problemExamples: Record<RefusalCode, ProblemExample> = {
  invalid_json: {
    request: text(...create, '', '{"email": "ada@example.com"'),
    detail: 'The body is not valid JSON (at character 27).',
  },
  unauthenticated: {
    request: 'GET /v1/contacts',
    detail: 'Send an API key as "Authorization: Bearer rsk_…".',
    headers: { 'WWW-Authenticate': 'Bearer realm="Roster"' },
  },
  insufficient_scope: {
    request: text('GET /v1/users/me', key),
    detail: 'The API key does not have the scope user.',
    headers: {
      'WWW-Authenticate': 'Bearer realm="Roster", error="insufficient_scope", scope="user"',
    },
  },
  workspace_suspended: {
    request: text('GET /v1/contacts', key),
    detail: workspaceSuspended().message,
  },
  quota_exceeded: {
    request: text(...create, '', '{"email": "ada@example.com"}'),
    detail: contactQuotaExceeded(1000).message,
  },
  not_found: {
    request: text(`GET /v1/contacts/${id}`, key),
    detail: notFound('contact').message,
  },
  method_not_allowed: {
    request: text('DELETE /v1/contacts', key),
    detail: 'This path supports only GET, HEAD, POST, PUT.',
    headers: { Allow: 'GET, HEAD, POST, PUT' },
  },
  conflict: {
    request: text(...create, '', '{"email": "ada@example.com"}'),
    detail: 'A contact with this email already exists.',
    errors: [{ pointer: '/email', message: 'is the address of another contact' }],
    existingId: id,
  },
  limit_reached: {
    request: text(...create, '', '{"email": "ada@example.com", "properties": {"city": "London"}}'),
    detail: 'A workspace can have at most 1000 contact properties.',
  },
  precondition_failed: {
    request: text(
      `PUT /v1/contacts/${id}`,
      key,
      json,
      'If-Match: "x4nZoYJ3M0Xw7yH6bV2c1Q"',
      '',
      '{"name": "Ada"}',
    ),
    detail:
      'The resource has changed since the version in If-Match. Get it again, and repeat the change with its new ETag.',
    entityTag: '3q2-7wAAAAAAAAAAAAAAAA',
    headers: { ETag: '"3q2-7wAAAAAAAAAAAAAAAA"' },
  },
  payload_too_large: {
    request: text(...create, '', '{"email": "ada@example.com", "name": "…"}'),
    detail: 'The body exceeds 65536 bytes.',
  },
  unsupported_media_type: {
    request: text('POST /v1/contacts', key, 'Content-Type: text/plain', '', 'ada@example.com'),
    detail: 'The body must be application/json in UTF-8.',
  },
  invalid: {
    request: text(...create, '', '{"email": "ada", "nmae": "Ada"}'),
    detail: invalidFields(wrongFields).message,
    errors: wrongFields,
  },
  idempotency_key_reused: {
    request: text(...create, idempotencyKey, '', '{"email": "grace@example.com"}'),
    detail: 'The Idempotency-Key was already used with a different request.',
  },
  idempotency_key_in_use: {
    request: text(...create, idempotencyKey, '', '{"email": "ada@example.com"}'),
    detail:
      'A request with this Idempotency-Key is in flight. Send it again after the number of seconds in Retry-After, to get its response.',
    ...retryAfter(1),
  },
  rate_limited: {
    request: text('GET /v1/contacts', key),
    detail: 'The API key has exceeded its limit of 30000 requests per second.',
    ...retryAfter(1),
  },
  daily_quota_exceeded: {
    request: text('GET /v1/contacts', key),
    detail:
      'The workspace has used its quota of 10000 requests per day. It has them again at midnight UTC.',
    ...retryAfter(3600),
  },
  internal: {
    request: text('GET /v1/contacts', key),
    detail: faultMessages.internal,
  },
  unavailable: {
    request: text('GET /v1/contacts', key),
    detail: faultMessages.unavailable,
    ...retryAfter(1),
  },
  timeout: {
    request: text(...create, '', '{"email": "ada@example.com"}'),
    detail: `The service did not answer in time. The change may have been applied. ${faultMessages.repeatWithKey}`,
  },
  bad_request: {
    request: 'BREW /v1/contacts',
    detail: 'The request is not valid HTTP/1.1.',
  },
  request_timeout: {
    request: text(...create, '', '{"email": '),
    detail: 'The complete request was not received in time.',
  },
  request_header_fields_too_large: {
    request: text('GET /v1/contacts', key, 'X-Note: …'),
    detail: 'The request headers are too large.',
  },
};
