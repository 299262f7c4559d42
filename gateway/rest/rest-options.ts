import type { Log } from '@roster/process';
import type { Authentication } from '../http/callers/authenticate.js';
import type { FailedLookUps } from '../http/callers/failed-look-ups.js';
import type { ExportOutcome } from '../http/observation.js';
import type { AdminClient } from '../operations/admin-client.js';
import type { SessionClient } from '../operations/session-client.js';
import type { LinkClient } from '../operations/link-client.js';
import type { OperationClient } from '../operations/operation-client.js';
import type { RateLimiter } from '../operations/rates/rate-limiter.js';
import type { ClientPaceLimits } from '../http/body/read-long-body.js';
import type { Caller } from '@roster/contracts';
import type { HttpContext } from '../http/exchange.js';

/** What the routes of operations have in common. */
export interface RestOptions extends Authentication {
  admin: AdminClient;
  failedAdmins: FailedLookUps;
  client: OperationClient;
  links: LinkClient;
  unknownLinks: FailedLookUps;
  sessions: SessionClient;
  failedSessions: FailedLookUps;
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

/** Answers a request with a file, which begins with a result of its operation. */
export type SendFile = (
  ctx: HttpContext,
  caller: Caller,
  input: Record<string, unknown>,
  result: Uint8Array,
) => Promise<void>;

export interface ExportLimits extends ClientPaceLimits {
  /** Maximum number of exports in flight of this process. */
  process: number;
  /** Maximum number of them of one workspace. */
  workspace: number;
  /** Maximum duration of an export. */
  durationMs: number;
}

export const exportLimits: ExportLimits = {
  process: 16,
  workspace: 2,
  durationMs: 3_600_000,
  waitingMs: 30_000,
  bytesPerSecondMin: 64 * 1024,
};
