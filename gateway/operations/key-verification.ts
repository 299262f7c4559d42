import type { CallerVerifier } from '@roster/bus';
import { type Caller, Fault, type RequestQuota } from '@roster/contracts';

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
  /** Called with the quota of a workspace when a key of it is verified; undefined if it has none. */
  onQuota?: ((workspaceId: string, quota: RequestQuota | undefined) => void) | undefined;
}

/** The request that a look-up belongs to. */
export interface RequestOrigin {
  requestId: string;
  traceparent: string;
  tracestate?: string | undefined;
  /** Address of the client. Empty once its connection is closed. */
  address: string;
}

/** The key is malformed, unknown, expired or revoked. Requests that share a look-up, or its cached result, get the same fault. */
export class InvalidKey extends Fault {
  constructor(message = 'The API key is malformed, unknown, expired or revoked.') {
    super('unauthenticated', message);
  }
}

/** The browser token is forged, has expired, or its key is revoked. A new one must be made. */
export class InvalidToken extends InvalidKey {
  constructor() {
    super('The browser token is malformed or has expired, or its API key was revoked.');
  }
}

const none: ReadonlySet<string> = new Set();
const listed = new WeakMap<Caller, ReadonlySet<string>>();

/** Keeps the origins that the workspace of a verified caller lists, for as long as the caller is cached. */
export function keepOrigins(caller: Caller, origins: ReadonlySet<string>): void {
  if (origins.size > 0 || listed.has(caller)) listed.set(caller, origins);
}

/** The origins of the workspace of a caller, as of the verification of its key. */
export const originsOf = (caller: Caller): ReadonlySet<string> => listed.get(caller) ?? none;
