import { steadyNow, type Bus, type CallerVerifier } from '@roster/bus';
import type { Caller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import { InvalidToken } from './invalid-key.js';
import type { CachedKey, KeyVerifierOptions, RequestOrigin } from './key-verification.js';

const checkedMax = 10_000;

/**
 * Verifies browser tokens by the public key of the users service. Only whether their API key is still valid is asked there, once
 * for all tokens of the key, and again when that is no longer cached.
 */
export class TokenVerifier {
  readonly #bus: Bus;
  readonly #verifier: CallerVerifier | undefined;
  readonly #options: KeyVerifierOptions;
  /** End of the cache entry of a key, by `performance.now()`. */
  readonly #checked = new LRUCache<string, number>({ max: checkedMax });
  #generation = 0;

  constructor(bus: Bus, options: KeyVerifierOptions) {
    this.#bus = bus;
    this.#verifier = options.verifier;
    this.#options = options;
  }

  /**
   * Synchronous if the key of the token was checked recently.
   *
   * @param token that matches `tokenShape`
   * @throws InvalidToken; faults of the bus
   */
  verify(token: string, ids: RequestOrigin): Caller | Promise<Caller> {
    const caller = this.#verifier?.callerOf(token);
    if (!caller) throw new InvalidToken();
    return this.#isChecked(caller) ? withProof(caller, token) : this.#check(caller, token, ids);
  }

  /** As `KeyVerifier.cached`. No signature is verified. */
  cached(token: string): CachedKey | undefined {
    const caller = this.#verifier?.rememberedCallerOf(token);
    if (!caller || !this.#checked.has(caller.keyId)) return undefined;
    const { workspaceId } = caller;
    return { workspaceId, caller: this.#isChecked(caller) ? withProof(caller, token) : null };
  }

  /** @param keyId of a revoked key; undefined if revocations may have been missed */
  evict(keyId?: string): void {
    this.#generation += 1;
    if (keyId === undefined) this.#checked.clear();
    else this.#checked.delete(keyId);
  }

  #isChecked({ keyId }: Caller): boolean {
    return (this.#checked.get(keyId) ?? 0) > performance.now();
  }

  async #check(caller: Caller, token: string, ids: RequestOrigin): Promise<Caller> {
    const { workspaceId, keyId } = caller;
    const { requestId, traceparent } = ids;
    const { timeoutMs, cacheSeconds } = this.#options;
    const generation = this.#generation;
    const context = { caller, requestId, traceparent, deadline: steadyNow() + timeoutMs };
    const { valid, now } = await this.#bus.call('keys.check', { workspaceId, keyId }, context);
    if (now !== undefined) this.#verifier!.databaseShowed(Date.parse(now));
    if (!valid) {
      this.#checked.delete(keyId);
      throw new InvalidToken();
    }
    // Otherwise the key may have been revoked after the answer.
    if (generation === this.#generation)
      this.#checked.set(keyId, performance.now() + cacheSeconds * 1000);
    // A gateway that has just started did not know before the answer that the token has expired.
    if (!this.#verifier!.callerOf(token)) throw new InvalidToken();
    return withProof(caller, token);
  }
}

const callers = new WeakMap<Caller, Caller>();

/** The token proves its caller to services, too. The same object for the same token, of which calls of a batch send one copy. */
function withProof(caller: Caller, proof: string): Caller {
  let proven = callers.get(caller);
  if (!proven) callers.set(caller, (proven = { ...caller, proof }));
  return proven;
}
