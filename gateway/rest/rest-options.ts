import type { Log } from '@roster/service';
import type { Authentication } from '../http/exchange/authenticate.js';
import type { OperationClient } from '../operations/operation-client.js';
import type { RateLimiter } from '../operations/rates/rate-limiter.js';

/** What the routes of operations have in common. */
export interface RestOptions extends Authentication {
  client: OperationClient;
  rateLimiter: RateLimiter;
  /** Deadline of a call to a service. */
  timeoutMs: number;
  bodyBytesMax: number;
  log: Log;
}
