import type { OutgoingHttpHeaders } from 'node:http';
import type { RateLimiter } from '../../operations/rate-limiter.js';

/**
 * Takes one token from the bucket of a key, and sets the response headers that carry the remaining quota.
 *
 * @throws RateLimited, for which `setFaultHeaders` sets the same headers
 */
export function limitRate(limiter: RateLimiter, keyId: string, headers: OutgoingHttpHeaders): void {
  const remaining = limiter.take(keyId);
  if (limiter.perSecond > 0) setRateHeaders(headers, limiter.perSecond, remaining);
}

/** https://datatracker.ietf.org/doc/draft-ietf-httpapi-ratelimit-headers/ */
export function setRateHeaders(
  headers: OutgoingHttpHeaders,
  perSecond: number,
  remaining: number,
): void {
  headers['RateLimit-Policy'] = `"key";q=${perSecond};w=1`;
  headers['RateLimit'] = `"key";r=${remaining};t=1`;
}
