import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  type KeyObject,
} from 'node:crypto';
import type { NamedKey } from '@roster/bus';
import { Fault, faultMessages } from '@roster/contracts';
import type { AnswerCipher, StoredCall } from '@roster/storage';

const algorithm = 'aes-256-gcm';
/** NIST SP 800-38D: 96 random bits are safe for 2^32 messages per key. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts secrets in the database with AES-256-GCM, in the format `<key id>.<base64url of nonce, ciphertext and tag>`. Each
 * text is bound to its owner as additional authenticated data, so that it cannot be decrypted in another row.
 */
export class TokenCipher implements AnswerCipher {
  readonly #current: NamedKey;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #hashKeys: readonly Buffer[];
  #reportMissing: (keyId: string) => void = () => undefined;

  /** @param keys of 256 bits: the first one encrypts, all decrypt */
  constructor(keys: readonly NamedKey[]) {
    this.#current = keys[0]!;
    this.#keys = new Map(keys.map(({ id, key }) => [id, key]));
    this.#hashKeys = keys.map(({ key }) => hashKeyOf(key));
  }

  encrypt(text: string, boundTo: string): string {
    const { id, key } = this.#current;
    const nonce = randomBytes(nonceBytes);
    const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes }).setAAD(
      Buffer.from(boundTo),
    );
    const sealed = Buffer.concat([
      nonce,
      cipher.update(text, 'utf8'),
      cipher.final(),
      cipher.getAuthTag(),
    ]);
    return `${id}.${sealed.toString('base64url')}`;
  }

  /**
   * @throws UnreadableSecret if the text was not encrypted for `boundTo` with the key of its ID
   * @throws MissingKey if this process does not have that key
   */
  decrypt(text: string, boundTo: string): string {
    const { id, key } = this.#requireKeyOf(text);
    const sealed = Buffer.from(text.slice(id.length + 1), 'base64url');
    try {
      return open(sealed, key, boundTo);
    } catch (error) {
      throw new UnreadableSecret(id, error);
    }
  }

  /** The same text, encrypted with the current key. @throws as `decrypt` */
  reencrypt(text: string, boundTo: string): string {
    return this.encrypt(this.decrypt(text, boundTo), boundTo);
  }

  /** Keyed, because an input may contain a token that a user chose: it could be found by hashing guesses. */
  hashInput(input: string, boundTo: string): Buffer {
    return hashWith(this.#hashKeys[0]!, input, boundTo);
  }

  /** @throws MissingKey if the hash may be one with a key that this process does not have */
  isInputOf({ inputHash, answer }: StoredCall, input: string, boundTo: string): boolean {
    if (this.#hashKeys.some((key) => hashWith(key, input, boundTo).equals(inputHash))) return true;
    if (keyIdShape.test(answer)) this.#requireKeyOf(answer);
    return false;
  }

  /** Calls `then` with the ID of each required key that is missing. */
  onMissingKey(then: (keyId: string) => void): void {
    this.#reportMissing = then;
  }

  /** Encrypted with one of the keys. */
  canDecrypt(text: string, boundTo: string): boolean {
    try {
      this.decrypt(text, boundTo);
      return true;
    } catch {
      return false;
    }
  }

  #requireKeyOf(text: string): NamedKey {
    const id = keyIdShape.exec(text)?.[1];
    if (id === undefined) throw new UnreadableSecret(undefined);
    const key = this.#keys.get(id);
    if (key) return { id, key };
    this.#reportMissing(id);
    throw new MissingKey(id);
  }

  get currentKeyId(): string {
    return this.#current.id;
  }

  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }
}

/** Another process, which has the key, may answer the call. */
export class MissingKey extends Fault {
  constructor(keyId: string) {
    super('unavailable', faultMessages.unavailable, {
      retryAfterSeconds: 1,
      reason: `TOKEN_KEYS has no key with the id ${keyId}`,
    });
  }
}

/**
 * A text that is damaged, was moved to another row, was encrypted with other bytes under the same key ID, or was given up:
 * see `keyIdShape`.
 */
export class UnreadableSecret extends Error {
  override readonly name = 'UnreadableSecret';
  /** Undefined if the text contains none. */
  readonly keyId: string | undefined;

  constructor(keyId: string | undefined, cause?: unknown) {
    super(`a secret cannot be decrypted with the key ${keyId ?? '(none named)'}`, { cause });
    this.keyId = keyId;
  }
}

/** A key ID followed by nothing marks a secret that was given up: it requires no key. */
const keyIdShape = /^([A-Za-z0-9_-]{1,32})\../;

/** Derived from the encryption key (RFC 5869), so that no key has two purposes. */
const hashKeyOf = (key: KeyObject): Buffer =>
  Buffer.from(hkdfSync('sha256', key, '', 'roster idempotency input', 32));

const hashWith = (key: Buffer, input: string, boundTo: string): Buffer =>
  createHmac('sha256', key).update(boundTo).update('\n').update(input).digest();

function open(sealed: Buffer, key: KeyObject, boundTo: string): string {
  const decipher = createDecipheriv(algorithm, key, sealed.subarray(0, nonceBytes), {
    authTagLength: tagBytes,
  })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(sealed.subarray(-tagBytes));
  return (
    decipher.update(sealed.subarray(nonceBytes, -tagBytes), undefined, 'utf8') +
    decipher.final('utf8')
  );
}
