import type { FaultCode, FieldError } from '@roster/contracts';

const statuses: Partial<Record<FaultCode, number>> = {
  invalid_json: 400,
  unauthenticated: 401,
  insufficient_scope: 403,
  not_found: 404,
  conflict: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  invalid: 422,
};

/** An error, answered as `application/problem+json` (RFC 9457). */
export class Problem extends Error {
  readonly code: FaultCode;
  readonly status: number;
  readonly more: { existingId?: string; errors?: FieldError[] };

  constructor(code: FaultCode, detail: string, more: Problem['more'] = {}) {
    super(detail);
    this.code = code;
    this.status = statuses[code] ?? 500;
    this.more = more;
  }
}
