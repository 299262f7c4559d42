import { createPrivateKey, createPublicKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { NamedKey } from '@roster/bus';
import { z } from 'zod';

const keyBytes = 32;
const entryShape = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/;

/** `id:base64 of 32 bytes`, several separated by commas. Problems never show a value. */
export const namedKeys = (keyOf: (bytes: Buffer) => KeyObject) =>
  z.string().transform((text, context): NamedKey[] => {
    const keys = text.split(',').flatMap((entry, index) => {
      const [, id, base64 = ''] = entryShape.exec(entry.trim()) ?? [];
      const bytes = Buffer.from(base64, 'base64');
      if (id !== undefined && bytes.length === keyBytes) return [{ id, key: keyOf(bytes) }];
      context.addIssue(
        `entry ${index + 1} must be an id, a colon and the base64 of ${keyBytes} bytes`,
      );
      return [];
    });
    if (new Set(keys.map(({ id }) => id)).size < keys.length)
      context.addIssue('contains duplicate key ids');
    return keys;
  });

/** What precedes the 32 bytes of an Ed25519 key in DER: PKCS #8 and SubjectPublicKeyInfo of RFC 8410. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');
const spki = Buffer.from('302a300506032b6570032100', 'hex');

const privateKeyOf = (seed: Buffer): KeyObject =>
  createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });

/** Ed25519 public keys. */
export const publicKeys = namedKeys((bytes) =>
  createPublicKey({ key: Buffer.concat([spki, bytes]), format: 'der', type: 'spki' }),
);

/** One Ed25519 private key. */
export const signingKey = namedKeys(privateKeyOf).transform((keys, context): NamedKey => {
  const [key] = keys;
  if (key && keys.length === 1) return key;
  context.addIssue('must be one key');
  return z.NEVER;
});

/** The public key of a private one, both as `id:base64 of 32 bytes`. */
export function publicKeyOf(text: string): string {
  const [id = '', base64 = ''] = text.split(':');
  return printPublicKey({ id, key: createPublicKey(privateKeyOf(Buffer.from(base64, 'base64'))) });
}

/** An Ed25519 public key as `id:base64 of 32 bytes`. */
export function printPublicKey({ id, key }: NamedKey): string {
  const der = key.export({ format: 'der', type: 'spki' });
  return `${id}:${der.subarray(spki.length).toString('base64')}`;
}

/**
 * Why the listed keys do not verify what a signer signs: it has no key, its key is not listed, or another one is listed with its
 * ID. Undefined if they do.
 *
 * @param signer its public key as `id:base64`
 */
export function mismatchOf(
  signer: string | null,
  listed: readonly NamedKey[],
): { kind: 'unsigned' | 'unlisted' | 'foreign'; id: string } | undefined {
  if (signer === null) return { kind: 'unsigned', id: '' };
  if (listed.some((key) => printPublicKey(key) === signer)) return undefined;
  const [id = ''] = signer.split(':');
  return { kind: listed.some((key) => key.id === id) ? 'foreign' : 'unlisted', id };
}

/**
 * Whether two digests of the same hash function are equal. The time it takes does not show where they differ
 * (`test/security/comparison-time.test.ts` measures it).
 */
export const isSameDigest = (one: Buffer, other: Buffer): boolean => timingSafeEqual(one, other);
