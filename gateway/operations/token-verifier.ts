import { steadyNow, type Bus, type CallerVerifier } from '@roster/bus';
import { workspaceSuspended, type Caller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import {
  type CachedKey,
  InvalidToken,
  keepOrigins,
  type KeyVerifierOptions,
  type RequestOrigin,
} from './key-verification.js';
import { LookUps } from './look-ups.js';
import type { Revocations } from './revocations.js';

const checkedMax = 10_000;

/** An API key that was valid. Times by `performance.now()`. */
interface CheckedKey {
  checkedAt: number;
  /** End of the cache entry. */
  cachedUntil: number;
  /** Origins of the workspace. */
  origins: ReadonlySet<string>;
}

/**
 * Verifies browser tokens by the public key of the users service. Only whether their API key is still valid is looked up there,
 * once for all tokens of the key, and again when that is no longer cached.
 */
export class TokenVerifier {
  readonly #bus: Bus;
  readonly #verifier: CallerVerifier | undefined;
  readonly #options: KeyVerifierOptions;
  readonly #revocations: Revocations;
  readonly #checked = new LRUCache<string, CheckedKey>({ max: checkedMax });
  readonly #lookUps = new LookUps<CheckedKey>();

  constructor(bus: Bus, options: KeyVerifierOptions, revocations: Revocations) {
    this.#bus = bus;
    this.#verifier = options.verifier;
    this.#options = options;
    this.#revocations = revocations;
  }

  /**
   * Synchronous if the key of the token was checked recently.
   *
   * @param token that matches `tokenShape`
   * @throws InvalidToken; Fault `workspace_suspended`; faults of the bus
   */
  verify(token: string, ids: RequestOrigin): Caller | Promise<Caller> {
    const caller = this.#verifier?.callerOf(token);
    if (!caller) throw new InvalidToken();
    const checked = this.#find(caller);
    if (checked && isCurrent(checked)) return withProof(caller, token, checked);
    return this.#lookUps
      .share(caller.keyId, () => this.#check(caller, ids))
      .then((found) => {
        // A gateway that has just started did not know before the answer that the token has expired.
        if (!this.#verifier!.callerOf(token)) throw new InvalidToken();
        return withProof(caller, token, found);
      });
  }

  /** As `KeyVerifier.cached`. No signature is verified. */
  cached(token: string): CachedKey | undefined {
    const caller = this.#verifier?.rememberedCallerOf(token);
    const checked = caller && this.#find(caller);
    if (!checked) return undefined;
    const { workspaceId } = caller;
    return { workspaceId, caller: isCurrent(checked) ? withProof(caller, token, checked) : null };
  }

  /** A key was revoked, or the origins of a workspace have changed. */
  forgetLookUps(): void {
    this.#lookUps.forgetAll();
  }

  /** The last check of the key of a token, which may be too old, unless it is outdated. */
  #find(caller: Caller): CheckedKey | undefined {
    const checked = this.#checked.get(caller.keyId);
    return checked && !this.#revocations.concern(caller, checked.checkedAt) ? checked : undefined;
  }

  async #check(caller: Caller, ids: RequestOrigin): Promise<CheckedKey> {
    const { workspaceId, keyId } = caller;
    const { requestId, traceparent, tracestate } = ids;
    const { timeoutMs, cacheSeconds, onQuota } = this.#options;
    const deadline = steadyNow() + timeoutMs;
    const context = { caller, requestId, traceparent, tracestate, deadline };
    const checkedAt = performance.now();
    const input = { workspaceId, keyId };
    const { valid, isSuspended, now, origins, quota } = await this.#bus.call(
      'keys.check',
      input,
      context,
    );
    if (now !== undefined) this.#verifier!.databaseShowed(Date.parse(now));
    if (!valid) {
      this.#checked.delete(keyId);
      throw isSuspended ? workspaceSuspended() : new InvalidToken();
    }
    onQuota?.(workspaceId, quota);
    const cachedUntil = checkedAt + cacheSeconds * 1000;
    const checked = { checkedAt, cachedUntil, origins: new Set(origins) };
    this.#checked.set(keyId, checked);
    return checked;
  }
}

const isCurrent = ({ cachedUntil }: CheckedKey): boolean => cachedUntil > performance.now();

const callers = new WeakMap<Caller, Caller>();

/** The token proves its caller to services, too. The same object for the same token, of which calls of a batch send one copy. */
function withProof(caller: Caller, proof: string, { origins }: CheckedKey): Caller {
  let proven = callers.get(caller);
  if (!proven) callers.set(caller, (proven = { ...caller, proof }));
  keepOrigins(proven, origins);
  return proven;
}
