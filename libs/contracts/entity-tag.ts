import { hash } from 'node:crypto';
import type { Operation } from './operation.js';

const digestLength = 22;
const shape = /^(?<version>[\w-]{22})(?:\.[\w-]{22})?$/;

const digestOf = (text: string | Uint8Array): string =>
  hash('sha256', text, 'base64url').slice(0, digestLength);

/**
 * The entity tag (RFC 9110, 8.8.3) of a result, without quotes. It consists of the version of the resource, and of a digest of
 * all of it if the system maintains some of its fields.
 *
 * @param get operation with an ETag
 * @param result JSON of its result
 */
export function entityTag(get: Operation, result: Uint8Array): string {
  const version = versionOf(get, result);
  return maintainedBy(get).length === 0 ? version : `${version}.${digestOf(result)}`;
}

/** Digest of a result without the fields that the system maintains: it differs between two states that callers made. */
export function versionOf(get: Operation, result: string | Uint8Array): string {
  const maintained = maintainedBy(get);
  if (maintained.length === 0) return digestOf(result);
  const text = typeof result === 'string' ? result : Buffer.from(result).toString();
  return digestOf(
    JSON.stringify(JSON.parse(text), (name, value: unknown) =>
      maintained.includes(name) ? undefined : value,
    ),
  );
}

/** The version in an entity tag, or undefined if no resource has this tag. */
export const versionIn = (tag: string): string | undefined => shape.exec(tag)?.groups!['version'];

const maintainedBy = ({ http }: Operation): readonly string[] => http?.etag?.maintained ?? [];
