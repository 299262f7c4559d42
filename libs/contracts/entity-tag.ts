import { createHmac, hash, randomBytes } from 'node:crypto';
import type { Operation } from './operation.js';

const digestLength = 22;
const shape = /^(?<version>[\w-]{22})(?:\.[\w-]{22})?$/;

/** A key of this process only: secrets cannot be guessed from digests under it. */
const secretKey = randomBytes(32);

/** Digest in entity tags: 22 characters of base64url. */
export const digestOf = (text: string | Uint8Array): string =>
  hash('sha256', text, 'base64url').slice(0, digestLength);

const keyedDigestOf = (text: Uint8Array): string =>
  createHmac('sha256', secretKey).update(text).digest('base64url').slice(0, digestLength);

/**
 * The entity tag (RFC 9110, 8.8.3) of a result, without quotes. It consists of the version of the resource, and of a digest of
 * all of it if not all of its fields count for the version. With secret fields, that digest differs between processes.
 *
 * @param get operation with an ETag
 * @param result JSON of its result
 */
export function entityTag(get: Operation, result: Uint8Array): string {
  const version = versionOf(get, result);
  if (uncounted(get).length === 0) return version;
  return `${version}.${get.http?.etag?.secret ? keyedDigestOf(result) : digestOf(result)}`;
}

/**
 * Digest of a result without the fields that the system maintains, and without secrets: it differs between two states that callers
 * made by PUT.
 */
export function versionOf(get: Operation, result: string | Uint8Array): string {
  const omitted = uncounted(get);
  if (omitted.length === 0) return digestOf(result);
  const text = typeof result === 'string' ? result : Buffer.from(result).toString();
  return digestOf(
    JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      omitted.includes(name) ? undefined : value,
    ),
  );
}

/** The version in an entity tag, or undefined if no resource has this tag. */
export const versionIn = (tag: string): string | undefined => shape.exec(tag)?.groups!['version'];

const uncounted = ({ http }: Operation): readonly string[] => [
  ...(http?.etag?.maintained ?? []),
  ...(http?.etag?.secret ?? []),
];
