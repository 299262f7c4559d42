import { createCipheriv, createDecipheriv, randomBytes, type KeyObject } from 'node:crypto';

export interface TokenKey {
  id: string;
  /** 256 bits. */
  key: KeyObject;
}

const algorithm = 'aes-256-gcm';
/** NIST SP 800-38D: 96 random bits are safe for 2^32 messages per key. */
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Keeps secrets unreadable in the database: AES-256-GCM, written as `<key id>.<base64url of nonce, ciphertext and tag>`.
 * Each text is bound to what it belongs to (as additional authenticated data), so that it is of no use in another row.
 */
export class TokenCipher {
  readonly #current: TokenKey;
  readonly #keys: ReadonlyMap<string, KeyObject>;

  /** @param keys the first encrypts, all decrypt */
  constructor(keys: readonly TokenKey[]) {
    this.#current = keys[0]!;
    this.#keys = new Map(keys.map(({ id, key }) => [id, key]));
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

  /** @throws when the key is gone, or when this is not what was encrypted for `boundTo` */
  decrypt(text: string, boundTo: string): string {
    const id = keyIdOf(text);
    const key = this.#keys.get(id);
    if (!key) throw new Error(`no key with the id ${id} decrypts`);
    const sealed = Buffer.from(text.slice(id.length + 1), 'base64url');
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

  knows(keyId: string): boolean {
    return this.#keys.has(keyId);
  }
}

const keyIdOf = (text: string): string => text.slice(0, text.indexOf('.'));
