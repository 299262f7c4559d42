import { Fault, keyShape, type Caller, type Scope } from '@roster/contracts';
import { Refusal } from './refusal.js';
import type { Asker, KeyVerifier } from './key-verifier.js';

const bearer = /^bearer +([^ ]+) *$/i;

/** From an `Authorization` header to who asks, or a refusal in the words of RFC 6750. */
export class Authenticator {
  readonly #keys: KeyVerifier;
  readonly #realm: string;

  constructor(keys: KeyVerifier, realm: string) {
    this.#keys = keys;
    this.#realm = realm;
  }

  /** At once for a key that is known. */
  authenticate(authorization: string | undefined, asker: Asker): Caller | Promise<Caller> {
    const key = authorization === undefined ? undefined : bearer.exec(authorization)?.[1];
    // RFC 6750, 3.1: a request without credentials of this kind learns the scheme, and no error code.
    if (key === undefined)
      throw new Fault('unauthenticated', 'Send an API key as "Authorization: Bearer rsk_…".');
    if (!keyShape.test(key)) throw this.#invalidToken();
    try {
      const caller = this.#keys.verify(key, asker);
      return caller instanceof Promise
        ? caller.catch((error: unknown) => this.#refuse(error))
        : caller;
    } catch (error) {
      return this.#refuse(error);
    }
  }

  requireScope({ scopes }: Caller, scope: Scope): void {
    if (scopes.includes(scope)) return;
    throw new Refusal('insufficient_scope', `The key does not hold the scope ${scope}.`, {
      'WWW-Authenticate': `Bearer realm="${this.#realm}", error="insufficient_scope", scope="${scope}"`,
    });
  }

  #refuse(error: unknown): never {
    if (error instanceof Fault && error.code === 'unauthenticated') throw this.#invalidToken();
    throw error;
  }

  #invalidToken(): Refusal {
    const detail = 'The API key is mistyped, unknown, expired or revoked.';
    return new Refusal('unauthenticated', detail, {
      'WWW-Authenticate': `Bearer realm="${this.#realm}", error="invalid_token", error_description="${detail}"`,
    });
  }
}
