import { httpStatus, type FaultCode } from '@roster/contracts';

/** What is refused before a request is one: HTTP that cannot be read. */
const transportStatus = {
  bad_request: 400,
  request_timeout: 408,
  request_header_fields_too_large: 431,
} as const;
export type TransportCode = keyof typeof transportStatus;
export type ProblemCode = FaultCode | TransportCode;

export const problemStatus: Record<ProblemCode, number> = { ...httpStatus, ...transportStatus };

export interface ProblemType {
  title: string;
  meaning: string;
  remedy: string;
}

/** The kinds of problem, in the words of the pages below `/problems`. */
export const problemTypes: Record<ProblemCode, ProblemType> = {
  invalid_json: {
    title: 'Body is not a JSON object',
    meaning:
      'The body is empty, is not valid JSON in UTF-8, is no object, or is nested more than 32 levels deep.',
    remedy: 'Send one JSON object. Nothing was changed.',
  },
  unauthenticated: {
    title: 'Not authenticated',
    meaning:
      'The request carries no API key, or one that is mistyped, unknown, expired or revoked.',
    remedy:
      'Send "Authorization: Bearer rsk_…" with a key of your workspace. A new key can be made at any time.',
  },
  insufficient_scope: {
    title: 'Key lacks the scope',
    meaning:
      'The key is valid, but does not hold the scope of this operation; WWW-Authenticate names the scope.',
    remedy:
      'Use a key that holds it. The scopes api_user and user are independent: neither implies the other.',
  },
  not_found: {
    title: 'Not found',
    meaning: 'There is no such path, or no such resource in the workspace of the key.',
    remedy: 'Check the id, and that the key belongs to the workspace that holds the resource.',
  },
  method_not_allowed: {
    title: 'Method not allowed',
    meaning: 'The path exists, but does not take this method; Allow names those it takes.',
    remedy: 'Use one of them.',
  },
  conflict: {
    title: 'Conflict',
    meaning:
      'Another resource is in the way, such as a contact with the same email; existingId names it if it may be known.',
    remedy: 'Use or update the existing resource, or choose another value.',
  },
  payload_too_large: {
    title: 'Body too large',
    meaning: 'The body is larger than this service takes (1 MiB unless configured).',
    remedy: 'Send less at once.',
  },
  unsupported_media_type: {
    title: 'Unsupported media type',
    meaning: 'The body is not declared as uncompressed application/json in UTF-8.',
    remedy: 'Send "Content-Type: application/json" and no Content-Encoding.',
  },
  invalid: {
    title: 'Invalid input',
    meaning: 'Some fields are wrong, missing or unknown; errors names each by JSON Pointer.',
    remedy: 'Correct the fields named. Nothing was changed.',
  },
  rate_limited: {
    title: 'Too many requests',
    meaning: 'The key has used up its requests for now.',
    remedy:
      'Wait as long as Retry-After says, then go on more slowly. RateLimit tells what is left.',
  },
  internal: {
    title: 'Internal error',
    meaning: 'Something went wrong on our side.',
    remedy: 'Try again later. If it stays, report the requestId.',
  },
  unavailable: {
    title: 'Unavailable',
    meaning:
      'The service is starting, stopping or has more to do than it can. Nothing was changed.',
    remedy: 'Send the request again after the seconds of Retry-After.',
  },
  timeout: {
    title: 'No answer in time',
    meaning: 'The service took too long. A change may have happened all the same.',
    remedy:
      'Send the request again; for a change, with the same Idempotency-Key, so that it happens once.',
  },
  bad_request: {
    title: 'Malformed HTTP',
    meaning: 'The bytes received are no HTTP request.',
    remedy: 'Use an HTTP/1.1 client library.',
  },
  request_timeout: {
    title: 'Request came too slowly',
    meaning: 'The request was not received whole in time.',
    remedy: 'Send it again on a better connection.',
  },
  request_header_fields_too_large: {
    title: 'Headers too large',
    meaning: 'The request line and headers together exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
};
