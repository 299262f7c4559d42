import type { Log } from '@roster/process';
import type { Authentication } from '../http/callers/authenticate.js';
import type { FailedLookUps } from '../http/callers/failed-look-ups.js';
import type { ExportOutcome } from '../http/observation/metrics.js';
import type { LinkClient } from '../operations/link-client.js';
import type { OperationClient } from '../operations/operation-client.js';
import type { RateLimiter } from '../operations/rates/rate-limiter.js';
import type { ExportLimits } from './exports/export-limits.js';

/** What the routes of operations have in common. */
export interface RestOptions extends Authentication {
  client: OperationClient;
  links: LinkClient;
  unknownLinks: FailedLookUps;
  rateLimiter: RateLimiter;
  /** Deadline of a call to a service. */
  timeoutMs: number;
  exports: {
    limits: ExportLimits;
    /** Called when an export ends that has begun. */
    onEnded(outcome: ExportOutcome): void;
  };
  log: Log;
}
