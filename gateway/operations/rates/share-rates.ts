import type { Bus } from '@roster/bus';
import { randomUUID } from 'node:crypto';
import type { RateLimiter } from './rate-limiter.js';

const reportMs = 100;

/**
 * Reports the use of the rate limits to all other gateways, and counts theirs. While NATS is disconnected, and for the time that
 * a gateway is paused, each gateway applies the limits on its own.
 *
 * @returns the function that ends it
 */
export function shareRates(limiter: RateLimiter, bus: Bus): () => void {
  const gateway = randomUUID();
  const stopListening = bus.listen('rates.used', ({ gateway: reporter, ...report }) => {
    if (reporter !== gateway) limiter.count(report);
  });
  const timer = setInterval(() => {
    const report = limiter.report();
    if (report) bus.broadcast('rates.used', { gateway, ...report });
  }, reportMs).unref();
  return () => {
    clearInterval(timer);
    stopListening();
  };
}
