import { steadyNow, type Bus } from '@roster/bus';
import {
  Fault,
  hasValidChecksum,
  keyShape,
  systemCaller,
  tokenShape,
  type Broadcasts,
  type Caller,
} from '@roster/contracts';
import { isSameDigest } from '@roster/process';
import { LRUCache } from 'lru-cache';
import {
  type CachedKey,
  InvalidKey,
  keepOrigins,
  type KeyVerifierOptions,
  type RequestOrigin,
} from './key-verification.js';
import { LookUps } from './look-ups.js';
import { Revocations } from './revocations.js';
import { TokenVerifier } from './token-verifier.js';
import { hash } from 'node:crypto';

const verifiedMax = 10_000;
const refusedMax = 10_000;
const refusedMs = 1000;

/** What the users service answers about a key that must not be used. */
const refusals: ReadonlySet<string> = new Set(['unauthenticated', 'workspace_suspended']);

type RevokedKey = Broadcasts['keys.revoked'];

interface VerifiedKey extends CachedKey {
  digest: Buffer;
  caller: Caller;
  /** Milliseconds since the epoch. */
  expiresAt: number;
  /** When it was looked up, by `performance.now()`. */
  lookedUpAt: number;
  /** End of the cache entry, by `performance.now()`. */
  cachedUntil: number;
}

interface RefusedKey {
  digest: Buffer;
  /** The same object for all requests that it refuses. */
  refusal: Fault;
  /** By `performance.now()`. */
  cachedUntil: number;
}

/**
 * Verifies API keys: looks up their SHA-256 in the users service and caches the result for seconds.
 *
 * A key is looked up again from the broadcast of its revocation on. A look-up in flight at that moment may return the state before
 * the revocation: its result is returned to the requests that already wait for it, but not used for later ones. The origins of its
 * workspace are part of the result: when they change, all keys of the workspace are looked up again.
 */
export class KeyVerifier {
  readonly #bus: Bus;
  readonly #options: KeyVerifierOptions;
  readonly #tokens: TokenVerifier;
  readonly #revocations: Revocations;
  readonly #verified = new LRUCache<string, VerifiedKey>({ max: verifiedMax });
  readonly #refused = new LRUCache<string, RefusedKey>({ max: refusedMax });
  readonly #lookUps = new LookUps<VerifiedKey>();
  readonly #onRevoked = new Set<(key: RevokedKey) => void>();
  readonly #onSuspended = new Set<(workspaceId: string) => void>();
  readonly #release: (() => void)[] = [];
  #generation = 0;

  constructor(bus: Bus, options: KeyVerifierOptions) {
    this.#bus = bus;
    this.#options = options;
    this.#revocations = new Revocations();
    this.#tokens = new TokenVerifier(bus, options, this.#revocations);
    this.#release.push(
      bus.listen('keys.revoked', (key) => {
        this.#revoke(key.keyId);
        for (const listener of this.#onRevoked) listener(key);
      }),
      bus.listen('origins.changed', ({ workspaceId }) => this.#revoke(workspaceId)),
      bus.listen('workspaces.changed', ({ workspaceId }) => {
        this.#revoke(workspaceId);
        this.#refused.clear();
        for (const listener of this.#onSuspended) listener(workspaceId);
      }),
    );
    // Revocations may have been missed while NATS was disconnected.
    this.#release.push(bus.link.onChange((up) => up && this.#revokeAll()));
  }

  /**
   * The caller of a key or browser token. Synchronous for a cached key.
   *
   * @throws InvalidKey if the key is malformed, unknown, expired or revoked; Fault `workspace_suspended`; faults of the bus
   */
  verify(key: string, origin: RequestOrigin): Caller | Promise<Caller> {
    if (tokenShape.test(key)) return this.#tokens.verify(key, origin);
    if (!keyShape.test(key)) throw new InvalidKey();
    const sha256 = hash('sha256', key, 'hex');
    const now = performance.now();
    const verified = this.#find(sha256);
    if (verified && verified.cachedUntil > now) return callerOf(verified);
    const refused = this.#refused.get(prefixOf(sha256));
    if (refused && refused.cachedUntil > now && isSameDigest(refused.digest, digestOf(sha256)))
      throw refused.refusal;
    // A mistyped key fails its checksum and needs no look-up.
    if (!hasValidChecksum(key)) throw new InvalidKey();
    return this.#lookUps.share(sha256, () => this.#fetch(sha256, origin)).then(callerOf);
  }

  /**
   * What is cached of a key or browser token. Undefined if it was not verified recently, or was revoked.
   */
  cached(key: string): CachedKey | undefined {
    if (tokenShape.test(key)) return this.#tokens.cached(key);
    if (!keyShape.test(key)) return undefined;
    const verified = this.#find(hash('sha256', key, 'hex'));
    if (!verified) return undefined;
    return this.isCurrent(verified) ? verified : { ...verified, caller: null };
  }

  /** Whether `cached` still returns the same for the key. False for a token. */
  isCurrent(key: CachedKey | VerifiedKey): boolean {
    return (
      'digest' in key &&
      key.cachedUntil > performance.now() &&
      key.expiresAt > Date.now() &&
      !this.#revocations.concern(key.caller, key.lookedUpAt)
    );
  }

  /** Changes when a key is revoked, or a workspace changes its origins. */
  get generation(): number {
    return this.#generation;
  }

  /**
   * Calls the listener for every key that was revoked or rotated, when it is no longer cached. Returns a function that removes the
   * listener.
   */
  onRevoked(listener: (key: RevokedKey) => void): () => void {
    this.#onRevoked.add(listener);
    return () => this.#onRevoked.delete(listener);
  }

  /**
   * Calls the listener with every workspace that was suspended or resumed, or whose quotas changed, when its keys are no longer cached. Returns a function that
   * removes the listener.
   */
  onSuspended(listener: (workspaceId: string) => void): () => void {
    this.#onSuspended.add(listener);
    return () => this.#onSuspended.delete(listener);
  }

  close(): void {
    for (const release of this.#release) release();
  }

  #find(sha256: string): VerifiedKey | undefined {
    const verified = this.#verified.get(prefixOf(sha256));
    if (!verified || !isSameDigest(verified.digest, digestOf(sha256))) return undefined;
    const { caller, lookedUpAt } = verified;
    return this.#revocations.concern(caller, lookedUpAt) ? undefined : verified;
  }

  async #fetch(
    sha256: string,
    { requestId, traceparent, tracestate, address }: RequestOrigin,
  ): Promise<VerifiedKey> {
    const deadline = steadyNow() + this.#options.timeoutMs;
    try {
      const context = { caller: systemCaller, requestId, traceparent, tracestate, deadline };
      // The statement is valid from the answer on, which is later.
      const lookedUpAt = performance.now();
      const input = { sha256, ...(address !== '' && { address }) };
      const { expiresAt, keyId, workspaceId, userId, scopes, proof, origins, quota } =
        await this.#bus.call('keys.verify', input, context);
      this.#options.onQuota?.(workspaceId, quota);
      const verified: VerifiedKey = {
        digest: digestOf(sha256),
        workspaceId,
        caller: { workspaceId, userId, keyId, scopes, ...(proof && { proof: proof.text }) },
        expiresAt: expiresAt === null ? Infinity : Date.parse(expiresAt),
        lookedUpAt,
        cachedUntil: lookedUpAt + this.#cacheSeconds(proof?.validSeconds) * 1000,
      };
      keepOrigins(verified.caller, new Set(origins));
      this.#verified.set(prefixOf(sha256), verified);
      return verified;
    } catch (error) {
      if (!(error instanceof Fault) || !refusals.has(error.code)) throw error;
      this.#verified.delete(prefixOf(sha256));
      const refusal = error.code === 'unauthenticated' ? new InvalidKey() : error;
      const cachedUntil = performance.now() + refusedMs;
      this.#refused.set(prefixOf(sha256), { digest: digestOf(sha256), refusal, cachedUntil });
      throw refusal;
    }
  }

  /** Calls with the statement may wait until their deadline. */
  #cacheSeconds(validSeconds = Infinity): number {
    const { cacheSeconds, timeoutMs } = this.#options;
    return Math.max(0, Math.min(cacheSeconds, validSeconds - timeoutMs / 1000));
  }

  /** @param id of a key, or of the workspace of keys */
  #revoke(id: string): void {
    this.#revocations.add(id);
    this.#generation += 1;
    this.#forgetLookUps();
  }

  #revokeAll(): void {
    this.#revocations.addAll();
    this.#generation += 1;
    this.#forgetLookUps();
    this.#refused.clear();
  }

  #forgetLookUps(): void {
    this.#lookUps.forgetAll();
    this.#tokens.forgetLookUps();
  }
}

/** `hash` returns text, because it would allocate a buffer outside of V8's heap, which takes three times as long as the rest. */
const digestOf = (sha256: string): Buffer => Buffer.from(sha256, 'hex');

/** Keys are found by a prefix of the digest; the whole digest is then compared in constant time. */
const prefixOf = (sha256: string): string => sha256.slice(0, 16);

function callerOf({ caller, expiresAt }: VerifiedKey): Caller {
  if (expiresAt <= Date.now()) throw new InvalidKey();
  return caller;
}
