import {
  anyScope,
  Fault,
  type FaultCode,
  type FaultDetails,
  httpStatus,
  InsufficientScope,
} from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import { InvalidKey } from '../operations/key-verification.js';
import { RateLimited } from '../operations/rates/rate-limiter.js';
import { setRateHeaders } from './callers/limit-rate.js';

/** Codes for requests that are not valid HTTP. */
const transportStatus = {
  bad_request: 400,
  request_timeout: 408,
  request_header_fields_too_large: 431,
} as const;

/** Code of every refusal that the gateway sends. */
export type RefusalCode = FaultCode | keyof typeof transportStatus;

export const refusalStatus: Record<RefusalCode, number> = { ...httpStatus, ...transportStatus };

/** Writes the body of a refusal, for requests without a route and for faults that a route does not handle. */
export interface RefusalWriter {
  mediaType: string;
  /** @param traceId of a request that is traced */
  bodyOf(
    code: RefusalCode,
    detail: string,
    requestId: string,
    details?: FaultDetails,
    traceId?: string,
  ): string;
}

/** The path exists but does not support the method. */
export class MethodNotAllowed extends Fault {
  /** Supported methods, in the format of `Allow`. */
  readonly allow: string;

  /** @param hint what else the client may have meant */
  constructor(allow: string, hint?: string) {
    const message = `This path supports only ${allow}.`;
    super('method_not_allowed', hint === undefined ? message : `${message} ${hint}`);
    this.allow = allow;
  }
}

/**
 * Sets the response headers that a fault implies.
 *
 * @param realm of `WWW-Authenticate` (RFC 6750)
 */
export function setFaultHeaders(headers: OutgoingHttpHeaders, fault: Fault, realm: string): void {
  const { code, message, details } = fault;
  if (fault instanceof RateLimited) setRateHeaders(headers, fault.states);
  if (details.entityTag !== undefined) headers['ETag'] = `"${details.entityTag}"`;
  if (details.retryAfterSeconds !== undefined) headers['Retry-After'] = details.retryAfterSeconds;
  if (fault instanceof InvalidKey)
    headers['WWW-Authenticate'] =
      `Bearer realm="${realm}", error="invalid_token", error_description="${message}"`;
  else if (fault instanceof InsufficientScope)
    headers['WWW-Authenticate'] =
      `Bearer realm="${realm}", error="insufficient_scope"` +
      (fault.scope === anyScope ? '' : `, scope="${fault.scope}"`);
  // RFC 6750, 3.1: a request without Bearer credentials gets the scheme without an error code.
  else if (code === 'unauthenticated') headers['WWW-Authenticate'] = `Bearer realm="${realm}"`;
  else if (fault instanceof MethodNotAllowed) headers['Allow'] = fault.allow;
}
