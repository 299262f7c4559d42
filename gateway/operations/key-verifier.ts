import type { Bus } from '@roster/bus';
import { Fault, hasValidChecksum, systemCaller, type Caller } from '@roster/contracts';
import { LRUCache } from 'lru-cache';
import { hash, timingSafeEqual } from 'node:crypto';

const knownMax = 10_000;
const refusedMax = 10_000;
const refusedMs = 1000;

interface KnownKey {
  digest: Buffer;
  caller: Caller;
  expiresAt: number;
  /** When to ask again. */
  until: number;
}

interface RefusedKey {
  digest: Buffer;
  until: number;
}

/** The key that was sent is nobody's, or holds no longer. */
export class InvalidKey extends Fault {
  constructor() {
    super('unauthenticated', 'The API key is malformed, unknown, expired or revoked.');
  }
}

export interface KeyVerifierOptions {
  cacheSeconds: number;
  timeoutMs: number;
}

/** What a look-up is asked on behalf of. */
export interface Asker {
  requestId: string;
  traceparent: string;
}

/**
 * Whose key it is: asks the users service for the key's SHA-256 and remembers the answer for seconds.
 *
 * A revocation is broadcast, and forgets the key at once. A look-up under way at that moment may carry the answer from
 * before: it serves those who already wait for it, and is neither remembered nor joined by anybody new.
 */
export class KeyVerifier {
  readonly #bus: Bus;
  readonly #options: KeyVerifierOptions;
  readonly #known = new LRUCache<string, KnownKey>({ max: knownMax });
  readonly #refused = new LRUCache<string, RefusedKey>({ max: refusedMax });
  readonly #lookUps = new Map<string, Promise<KnownKey>>();
  readonly #release: (() => void)[] = [];
  #generation = 0;

  constructor(bus: Bus, options: KeyVerifierOptions) {
    this.#bus = bus;
    this.#options = options;
    this.#release.push(bus.listen('keys.revoked', ({ keyId }) => this.#forget(keyId)));
    // Revocations may have been missed while NATS was away.
    this.#release.push(bus.link.onChange((up) => up && this.#forgetAll()));
  }

  /**
   * At once for a key that is known.
   *
   * @param key of the right shape
   * @throws InvalidKey when nobody holds the key, it expired or was revoked; faults of the bus
   */
  verify(key: string, asker: Asker): Caller | Promise<Caller> {
    const digest = hash('sha256', key, 'buffer');
    // Found by a part of the digest, then compared whole in constant time.
    const slot = digest.toString('latin1', 0, 8);
    const now = Date.now();
    const known = this.#known.get(slot);
    if (known && known.until > now && timingSafeEqual(known.digest, digest))
      return callerOf(known, now);
    const refused = this.#refused.get(slot);
    if (refused && refused.until > now && timingSafeEqual(refused.digest, digest))
      throw new InvalidKey();
    // A mistyped key is told from its checksum, without asking anybody.
    if (!hasValidChecksum(key)) throw new InvalidKey();
    return this.#lookUp(digest, slot, asker).then((found) => callerOf(found, Date.now()));
  }

  close(): void {
    for (const release of this.#release) release();
  }

  /** One look-up for all who ask for the same key at the same time. */
  #lookUp(digest: Buffer, slot: string, asker: Asker): Promise<KnownKey> {
    const sha256 = digest.toString('hex');
    const underWay = this.#lookUps.get(sha256);
    if (underWay) return underWay;
    const lookUp = this.#ask(digest, sha256, slot, asker).finally(() => {
      if (this.#lookUps.get(sha256) === lookUp) this.#lookUps.delete(sha256);
    });
    this.#lookUps.set(sha256, lookUp);
    return lookUp;
  }

  async #ask(
    digest: Buffer,
    sha256: string,
    slot: string,
    { requestId, traceparent }: Asker,
  ): Promise<KnownKey> {
    const generation = this.#generation;
    const deadline = Date.now() + this.#options.timeoutMs;
    try {
      const context = { caller: systemCaller, requestId, traceparent, deadline };
      const { expiresAt, keyId, workspaceId, userId, scopes } = await this.#bus.ask(
        'keys.verify',
        { sha256 },
        context,
      );
      const known: KnownKey = {
        digest,
        caller: { workspaceId, userId, keyId, scopes },
        expiresAt: expiresAt === null ? Infinity : Date.parse(expiresAt),
        until: Date.now() + this.#options.cacheSeconds * 1000,
      };
      if (generation === this.#generation) this.#known.set(slot, known);
      return known;
    } catch (error) {
      if (!(error instanceof Fault) || error.code !== 'unauthenticated') throw error;
      if (generation === this.#generation)
        this.#refused.set(slot, { digest, until: Date.now() + refusedMs });
      throw new InvalidKey();
    }
  }

  #forget(keyId: string): void {
    this.#generation += 1;
    this.#lookUps.clear();
    for (const [slot, { caller }] of [...this.#known.entries()]) {
      if (caller.keyId === keyId) this.#known.delete(slot);
    }
  }

  #forgetAll(): void {
    this.#generation += 1;
    this.#lookUps.clear();
    this.#known.clear();
    this.#refused.clear();
  }
}

function callerOf({ caller, expiresAt }: KnownKey, now: number): Caller {
  if (expiresAt <= now) throw new InvalidKey();
  return caller;
}
