import type { Caller, TokenLimits } from '@roster/contracts';
import { randomBytes } from 'node:crypto';
import { steadyNow } from '../steady-clock.js';
import { signStatement, type NamedKey } from './statement.js';

/** How long a statement is valid. A gateway that stops asking for a key can act for its caller for this long. */
const validMs = 180_000;
/** How long a signed statement is handed out again. Services then verify fewer different ones. */
const reuseMs = 60_000;
const rememberedMax = 10_000;

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
  readonly #signer = randomBytes(9).toString('base64url');
  /** By the ID of the API key, the oldest first. */
  readonly #remembered = new Map<string, Remembered>();

  constructor(key: NamedKey) {
    this.#key = key;
  }

  sign(caller: Caller): SignedCaller {
    const now = steadyNow();
    const scopes = caller.scopes.join();
    const remembered = this.#remembered.get(caller.keyId);
    const isReusable =
      remembered && now - remembered.issuedAt < reuseMs && remembered.scopes === scopes;
    const { text, issuedAt } = isReusable ? remembered : this.#signNow(caller, scopes, now);
    return { text, validSeconds: Math.floor((issuedAt + validMs - now) / 1000) };
  }

  /** A browser token. Each is signed anew. */
  signToken(caller: Caller & { token: TokenLimits }, validSeconds: number): SignedToken {
    const issuedAt = steadyNow();
    const expiresAt = issuedAt + validSeconds * 1000;
    const text = signStatement({ caller, signer: this.#signer, issuedAt, expiresAt }, this.#key);
    return { text, expiresAt };
  }

  #signNow(caller: Caller, scopes: string, issuedAt: number): Remembered {
    const expiresAt = issuedAt + validMs;
    const text = signStatement({ caller, signer: this.#signer, issuedAt, expiresAt }, this.#key);
    const made = { text, issuedAt, scopes };
    this.#remembered.delete(caller.keyId);
    this.#remembered.set(caller.keyId, made);
    if (this.#remembered.size > rememberedMax)
      this.#remembered.delete(this.#remembered.keys().next().value!);
    return made;
  }
}
