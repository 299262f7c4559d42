import { resources, type ResourceKind } from './ids.js';

/** HTTP status of each fault code. GraphQL responses carry the code in `extensions.code`. */
export const httpStatus = {
  invalid_json: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  workspace_suspended: 403,
  quota_exceeded: 403,
  not_found: 404,
  method_not_allowed: 405,
  conflict: 409,
  limit_reached: 409,
  idempotency_key_in_use: 409,
  precondition_failed: 412,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
  idempotency_key_reused: 422,
  rate_limited: 429,
  daily_quota_exceeded: 429,
  internal: 500,
  unavailable: 503,
  timeout: 504,
} as const;

export type FaultCode = keyof typeof httpStatus;

/** Title of the problem document of each fault (RFC 9457). */
export const faultTitles: Record<FaultCode, string> = {
  invalid_json: 'Body is not a JSON object',
  unauthenticated: 'Not authenticated',
  insufficient_scope: 'Insufficient scope',
  workspace_suspended: 'Workspace suspended',
  quota_exceeded: 'Quota exceeded',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  conflict: 'Conflict',
  limit_reached: 'Limit reached',
  idempotency_key_in_use: 'Idempotency-Key is in use',
  precondition_failed: 'Precondition failed',
  payload_too_large: 'Body too large',
  unsupported_media_type: 'Unsupported media type',
  invalid: 'Invalid input',
  idempotency_key_reused: 'Idempotency-Key was used before',
  rate_limited: 'Too many requests',
  daily_quota_exceeded: 'Daily quota exceeded',
  internal: 'Internal error',
  unavailable: 'Unavailable',
  timeout: 'Timeout',
};

/** One invalid field. `pointer` is a JSON Pointer (RFC 6901) into the input of the request, such as `/tags/0`. */
export interface FieldError {
  pointer: string;
  message: string;
}

/** Details for the caller in addition to the message. Sent as extension members of the problem document. */
export interface FaultDetails {
  /** The first invalid fields, for `invalid`; the field that another resource has, for `conflict`. */
  errors?: FieldError[];
  /** ID of the conflicting resource, for `conflict`. */
  existingId?: string;
  /** The present entity tag of the resource, without quotes, for `precondition_failed`; sent as ETag. */
  entityTag?: string;
  /** When to retry, for `unavailable`, `rate_limited`, `daily_quota_exceeded` and `idempotency_key_in_use`; also sent as Retry-After. */
  retryAfterSeconds?: number;
}

/** JSON form of a fault in NATS messages. */
export interface WireFault extends FaultDetails {
  code: FaultCode;
  /** Until 0.4.0: the code itself, where 0.2.0 sends a more general one. */
  exactCode?: FaultCode;
  message: string;
}

/** Until 0.4.0: 0.2.0 knows no status of these codes. */
const knownCodes: Partial<Record<FaultCode, FaultCode>> = {
  workspace_suspended: 'insufficient_scope',
  quota_exceeded: 'limit_reached',
};

/** An expected error. `message` and `details` are for the caller, `reason` and `cause` only for the log. */
export class Fault extends Error {
  override readonly name = 'Fault';
  readonly code: FaultCode;
  readonly details: FaultDetails;
  readonly reason: string | undefined;

  constructor(
    code: FaultCode,
    message: string,
    details: FaultDetails & { reason?: string; cause?: unknown } = {},
  ) {
    const { reason, cause, ...shown } = details;
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.details = shown;
    this.reason = reason;
  }

  static fromWire({ code, exactCode = code, message, ...details }: WireFault): Fault {
    return new Fault(exactCode, message, details);
  }

  toWire(): WireFault {
    const { code, message, details } = this;
    const known = knownCodes[code];
    if (known) return { code: known, exactCode: code, message, ...details };
    return { code, message, ...details };
  }
}

/** Messages of faults that are created in more than one place. */
export const faultMessages = {
  internal: 'An internal error occurred.',
  unavailable: 'The service is temporarily unavailable. Try again later.',
  repeatWithKey: 'With an Idempotency-Key header it is safe to send the request again.',
} as const;

/** Maximum number of invalid fields that a fault lists. */
export const fieldErrorsMax = 100;

/** @param errors invalid fields, one at least, of which the first are listed */
export const invalidFields = (errors: readonly FieldError[], listedMax = fieldErrorsMax): Fault =>
  new Fault('invalid', messageOf(errors, listedMax), { errors: errors.slice(0, listedMax) });

/** A text without control and invisible characters, for messages, which clients print: names of a request can have any. */
export const printable = (text: string): string => text.replaceAll(/\p{C}/gu, '\u{FFFD}');

/** Many clients show only the message: it says what is wrong with the first field, and how many others there are. */
function messageOf(errors: readonly FieldError[], listedMax: number): string {
  const { pointer, message } = errors[0]!;
  const shown = printable(pointer);
  const place = shown.length > 100 ? `${shown.slice(0, 100)}…` : shown;
  const first = `${place || 'The input'} ${message}`;
  const sentence = /[.?]$/.test(first) ? first : `${first}.`;
  const others = errors.length - 1;
  if (others === 0) return sentence;
  // Those beyond the limit of a fault may not have been counted.
  const count = errors.length > fieldErrorsMax ? `At least ${fieldErrorsMax}` : `${others}`;
  const more = `${sentence} ${count} more ${others === 1 ? 'field is' : 'fields are'} invalid.`;
  return errors.length > listedMax ? `${more} Only the first ${listedMax} are listed.` : more;
}

/** The operator has suspended the workspace of the caller, or deletes it. */
export const workspaceSuspended = (): Fault =>
  new Fault('workspace_suspended', 'The workspace is suspended. Ask the operator of this service.');

/** The workspace of the caller has all contacts that the operator allows it. */
export const contactQuotaExceeded = (contacts: number): Fault =>
  new Fault(
    'quota_exceeded',
    `The workspace has its quota of ${contacts} contacts. Ask the operator of this service for more.`,
  );

/** The same for unknown IDs, malformed IDs and IDs of other workspaces. */
export const notFound = (kind: ResourceKind, hint = ''): Fault =>
  new Fault('not_found', `No such ${resources[kind].noun}.${hint}`);
