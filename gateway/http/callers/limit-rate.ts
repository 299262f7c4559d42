import type { Caller } from '@roster/contracts';
import type { OutgoingHttpHeaders } from 'node:http';
import type { RateLimiter, RateState } from '../../operations/rates/rate-limiter.js';

/**
 * Counts a request against the limits of its key and workspace, and sets the response headers that carry the remaining quota.
 *
 * @throws RateLimited, for which `setFaultHeaders` sets the same headers
 */
export function limitRate(
  limiter: RateLimiter,
  caller: Caller,
  headers: OutgoingHttpHeaders,
): void {
  setRateHeaders(headers, limiter.take(caller));
}

/** https://www.ietf.org/archive/id/draft-ietf-httpapi-ratelimit-headers-10.html */
export function setRateHeaders(headers: OutgoingHttpHeaders, states: readonly RateState[]): void {
  let policies = '';
  let limits = '';
  for (const { name, max, windowSeconds, remaining, retryAfterSeconds } of states) {
    const separator = policies && ', ';
    policies += `${separator}"${name}";q=${max};w=${windowSeconds}`;
    limits += `${separator}"${name}";r=${remaining};t=${retryAfterSeconds}`;
  }
  if (policies === '') return;
  headers['RateLimit-Policy'] = policies;
  headers['RateLimit'] = limits;
}
