import type { CallerVerifier } from '@roster/bus';
import type { Caller } from '@roster/contracts';

/** A key that was verified recently. */
export interface CachedKey {
  workspaceId: string;
  /** Null if the key must be verified again. */
  caller: Caller | null;
}

export interface KeyVerifierOptions {
  cacheSeconds: number;
  timeoutMs: number;
  /** Without it, browser tokens are refused. */
  verifier?: CallerVerifier | undefined;
}

/** The request that a look-up belongs to. */
export interface RequestOrigin {
  requestId: string;
  traceparent: string;
  /** Address of the client. Empty once its connection is closed. */
  address: string;
}
