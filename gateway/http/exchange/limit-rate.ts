import type { OutgoingHttpHeaders } from 'node:http';
import type { RateLimiter } from '../../operations/rate-limiter.js';

/**
 * Takes one request of a key's, and tells in the answer's headers what is left.
 *
 * @throws RateLimited, which `setFaultHeaders` tells in the same headers
 */
export function limitRate(limiter: RateLimiter, keyId: string, headers: OutgoingHttpHeaders): void {
  const left = limiter.take(keyId);
  if (limiter.perSecond > 0) setRateHeaders(headers, limiter.perSecond, left);
}

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ */
export function setRateHeaders(
  headers: OutgoingHttpHeaders,
  perSecond: number,
  left: number,
): void {
  headers['RateLimit-Policy'] = `"key";q=${perSecond};w=1`;
  headers['RateLimit'] = `"key";r=${left};t=1`;
}
