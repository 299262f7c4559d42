import type { Caller, TokenLimits } from '@roster/contracts';
import { createPublicKey, randomBytes } from 'node:crypto';
import { steadyNow } from '../wire.js';
import { signStatement, type NamedKey } from './statement.js';

/** How long a statement is valid. A gateway that no longer looks up a key can act for its caller for this long. */
const validMs = 180_000;
/** How long a signed statement is handed out again. Services then verify fewer different ones. */
const reuseMs = 60_000;
const rememberedMax = 10_000;
/** By how much the wall clock may have moved against the steady clock before the signer takes another name. */
const movedMsMax = 1000;

/** A statement as the gateway receives it. */
export interface SignedCaller {
  text: string;
  /** For how long it remains valid. */
  validSeconds: number;
}

export interface SignedToken {
  text: string;
  /** Milliseconds since the epoch. */
  expiresAt: number;
}

interface Remembered {
  text: string;
  issuedAt: number;
  scopes: string;
}

/** Signs statements about callers whose API keys were verified: in the users service only. */
export class CallerSigner {
  readonly #key: NamedKey;
  /** The clocks of two processes may differ: each has a name of its own. */
  #name = newName();
  readonly #wallClock: () => number;
  /** The wall clock less the steady clock, when the name was chosen. */
  #differenceMs: number;
  /** How far the clock of the statements is ahead of the steady clock, since the name was chosen. */
  #aheadMs = 0;
  /** By the ID of the API key, the oldest first. */
  readonly #remembered = new Map<string, Remembered>();

  /** @param wallClock shows milliseconds since the epoch */
  constructor(key: NamedKey, wallClock: () => number = Date.now) {
    this.#key = key;
    this.#wallClock = wallClock;
    this.#differenceMs = wallClock() - steadyNow();
  }

  /** What verifies its statements. */
  get publicKey(): NamedKey {
    return { id: this.#key.id, key: createPublicKey(this.#key.key) };
  }

  sign(caller: Caller): SignedCaller {
    const now = this.#now();
    const scopes = caller.scopes.join();
    const remembered = this.#remembered.get(caller.keyId);
    const isReusable =
      remembered && now - remembered.issuedAt < reuseMs && remembered.scopes === scopes;
    const { text, issuedAt } = isReusable ? remembered : this.#signNow(caller, scopes, now);
    return { text, validSeconds: Math.floor((issuedAt + validMs - now) / 1000) };
  }

  /**
   * A browser token. Each is signed anew, with an ID of its own.
   *
   * @param databaseMs what the clock of the database showed just before
   */
  signToken(
    caller: Caller & { token: TokenLimits },
    validSeconds: number,
    databaseMs: number,
  ): SignedToken {
    const issuedAt = this.#now();
    const expiresAt = issuedAt + validSeconds * 1000;
    const named = { ...caller, tokenId: randomBytes(9).toString('base64url') };
    const statement = { caller: named, signer: this.#name, issuedAt, expiresAt, databaseMs };
    return { text: signStatement(statement, this.#key), expiresAt };
  }

  /**
   * The steady clock stands still while a machine is suspended. The statements would then expire early, and after an hour services
   * would refuse all of them. Therefore the signer catches up with the wall clock, and takes another name, because the clock of a
   * name must not jump. If the wall clock is behind, it was set back: the steady clock remains valid.
   */
  #now(): number {
    const steady = steadyNow();
    const differenceMs = this.#wallClock() - steady;
    if (Math.abs(differenceMs - this.#differenceMs) > movedMsMax) {
      this.#differenceMs = differenceMs;
      this.#aheadMs = Math.max(0, Math.round(differenceMs));
      this.#name = newName();
      this.#remembered.clear();
    }
    return steady + this.#aheadMs;
  }

  #signNow(caller: Caller, scopes: string, issuedAt: number): Remembered {
    const expiresAt = issuedAt + validMs;
    const text = signStatement({ caller, signer: this.#name, issuedAt, expiresAt }, this.#key);
    const made = { text, issuedAt, scopes };
    this.#remembered.delete(caller.keyId);
    this.#remembered.set(caller.keyId, made);
    if (this.#remembered.size > rememberedMax)
      this.#remembered.delete(this.#remembered.keys().next().value!);
    return made;
  }
}

const newName = (): string => randomBytes(9).toString('base64url');
