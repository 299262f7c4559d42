import { faultMessages, faultTitles } from '@roster/contracts';
import type { RefusalCode } from '../../http/refusal.js';

export interface ProblemType {
  title: string;
  meaning: string;
  remedy: string;
}

/** Title, meaning and remedy of each problem type, shown on the pages below `/problems`. */
export const problemTypes: Record<RefusalCode, ProblemType> = {
  invalid_json: {
    title: faultTitles.invalid_json,
    meaning:
      'The body is empty, is not valid UTF-8 JSON, is not an object, or is nested more than 16 levels deep.',
    remedy: 'Send one JSON object. Nothing was changed.',
  },
  unauthenticated: {
    title: faultTitles.unauthenticated,
    meaning:
      'The request has no API key or browser token, or it is malformed, unknown, expired or revoked.',
    remedy:
      'Send "Authorization: Bearer rsk_…" with a valid API key of your workspace, or a new browser token. You can create a new key at any time.',
  },
  insufficient_scope: {
    title: faultTitles.insufficient_scope,
    meaning:
      'The API key is valid but does not have the scope that this operation requires, or the browser token does not allow the operation, or must name it. WWW-Authenticate names the scope.',
    remedy:
      'Use a key that has the scope. The scopes api_user and user are independent: neither implies the other. Name the operations of a page in the token that its backend makes.',
  },
  workspace_suspended: {
    title: faultTitles.workspace_suspended,
    meaning:
      'The operator of this service has suspended the workspace of the API key. Deliveries to its webhooks wait; nothing is lost.',
    remedy: 'Ask the operator. When the workspace is resumed, the same keys work again.',
  },
  quota_exceeded: {
    title: faultTitles.quota_exceeded,
    meaning:
      'The workspace has as many contacts as the operator of this service allows it. Creations are refused; contacts can be changed and deleted.',
    remedy: 'Delete contacts, or ask the operator for more.',
  },
  not_found: {
    title: faultTitles.not_found,
    meaning: 'The path does not exist, or the workspace of the API key contains no such resource.',
    remedy: 'Check the ID, and check that the API key belongs to the workspace of the resource.',
  },
  method_not_allowed: {
    title: faultTitles.method_not_allowed,
    meaning: 'The path does not support this method. Allow lists the supported methods.',
    remedy: 'Use one of the supported methods.',
  },
  conflict: {
    title: faultTitles.conflict,
    meaning:
      'The request conflicts with an existing resource, such as a contact with the same email. existingId identifies it, if available.',
    remedy: 'Use or update the existing resource, or choose a different value.',
  },
  limit_reached: {
    title: faultTitles.limit_reached,
    meaning:
      'The workspace has as many resources of a kind as it can have; detail names the limit. New property names of a contact count as new contact properties.',
    remedy:
      'Delete resources that are no longer needed, or use existing ones. Nothing was changed.',
  },
  precondition_failed: {
    title: faultTitles.precondition_failed,
    meaning:
      'No entity tag in If-Match is that of the resource: it has changed since, or the tag is weak or malformed.',
    remedy:
      'Get the resource again, repeat your change on it, and send its new ETag. Nothing was changed.',
  },
  payload_too_large: {
    title: faultTitles.payload_too_large,
    meaning:
      'The body exceeds a size limit: 64 KiB, 1 MiB for a batch, 1 GiB for an import; 5,000 JSON values, 20,000 for a batch.',
    remedy: 'Send a smaller body, or a batch with fewer operations. Nothing was changed.',
  },
  unsupported_media_type: {
    title: faultTitles.unsupported_media_type,
    meaning:
      'The body is not declared as uncompressed application/json in UTF-8; PATCH also takes application/merge-patch+json. Imports take text/csv, application/x-ndjson, multipart/form-data and application/octet-stream.',
    remedy: 'Send "Content-Type: application/json" and no Content-Encoding.',
  },
  invalid: {
    title: faultTitles.invalid,
    meaning:
      'One or more fields are invalid, missing or unknown. errors lists each by JSON Pointer.',
    remedy: 'Correct the listed fields. Nothing was changed.',
  },
  idempotency_key_reused: {
    title: faultTitles.idempotency_key_reused,
    meaning:
      'A request with this Idempotency-Key and another input, or for another operation, was applied in the last 24 hours.',
    remedy:
      'Use a new key for each change, and the same key and input only to repeat a request. Nothing was changed.',
  },
  idempotency_key_in_use: {
    title: faultTitles.idempotency_key_in_use,
    meaning: 'Another request with this Idempotency-Key is in flight. This one changed nothing.',
    remedy:
      'Send the request again after the number of seconds in Retry-After. Its response is then that of the first one, if that succeeded.',
  },
  rate_limited: {
    title: faultTitles.rate_limited,
    meaning:
      'The API key or its workspace has exceeded its rate limit, too many invalid keys, unknown origins or unsubscribe links were sent from the address, or the workspace has reached the daily limit of its audit log.',
    remedy:
      'Wait for the number of seconds in Retry-After, then send requests at a lower rate. RateLimit shows the remaining quota.',
  },
  daily_quota_exceeded: {
    title: faultTitles.daily_quota_exceeded,
    meaning:
      'The workspace has sent as many requests today as the operator of this service allows it. Its deliveries continue.',
    remedy:
      'Wait until midnight UTC, after the number of seconds in Retry-After, or ask the operator for more. RateLimit shows what is left of the day.',
  },
  internal: {
    title: faultTitles.internal,
    meaning: faultMessages.internal,
    remedy: 'Try again later. If the problem persists, report the requestId.',
  },
  unavailable: {
    title: faultTitles.unavailable,
    meaning: 'The service is starting, stopping or overloaded. Nothing was changed.',
    remedy: 'Retry the request after the number of seconds in Retry-After.',
  },
  timeout: {
    title: faultTitles.timeout,
    meaning: 'The service did not answer in time. The change may have been applied.',
    remedy:
      'Retry the request. Retry a write with the same Idempotency-Key so that it is applied only once.',
  },
  bad_request: {
    title: 'Malformed HTTP',
    meaning: 'The request is not valid HTTP.',
    remedy: 'Use an HTTP/1.1 client library.',
  },
  request_timeout: {
    title: 'Request timeout',
    meaning: 'The complete request was not received in time.',
    remedy: 'Retry over a faster connection.',
  },
  request_header_fields_too_large: {
    title: 'Headers too large',
    meaning: 'The request line and headers together exceed 16 KiB.',
    remedy: 'Send fewer or shorter headers.',
  },
};
