import { signStatement, steadyNow, type NamedKey } from '@roster/bus';
import type { TokenLimits } from '@roster/contracts';
import { generateKeyPairSync } from 'node:crypto';
import type { TestKey } from './stub-services.js';

interface TokenSettings extends Partial<TokenLimits> {
  validMs?: number;
  /** How long ago it was made. */
  ageMs?: number;
  /** The process that made it. */
  signer?: string;
  /** By default the key that the gateway trusts. */
  signing?: NamedKey;
}

/** Signs browser tokens for tests, as the users service does. */
export class TestTokens {
  readonly #pair = generateKeyPairSync('ed25519');
  /** For the gateway. */
  readonly publicKeys: NamedKey[] = [{ id: 'k1', key: this.#pair.publicKey }];

  /** The same key with a token as its secret. */
  of(
    key: TestKey,
    {
      validMs = 900_000,
      ageMs = 0,
      signer = 'users',
      readOnly = false,
      operations = null,
      isFresh,
      signing,
    }: TokenSettings = {},
  ): TestKey {
    const { workspaceId, userId, keyId, scopes } = key;
    const issuedAt = steadyNow() - ageMs;
    const databaseMs = Date.now() - ageMs;
    const caller = {
      workspaceId,
      userId,
      keyId,
      scopes,
      token: { readOnly, operations, ...(isFresh !== undefined && { isFresh }) },
    };
    const apiKey = signStatement(
      { caller, signer, issuedAt, expiresAt: issuedAt + validMs, databaseMs },
      signing ?? { id: 'k1', key: this.#pair.privateKey },
    );
    return { ...key, apiKey };
  }
}
