import { createHmac, timingSafeEqual } from 'node:crypto';

/** What a token states: a contact, and a digest that only this service can make. */
export interface UnsubscribeToken {
  workspaceId: string;
  contactId: string;
  digest: Buffer;
}

const uuidBytes = 16;
/** 128 bits: one guess in 2^128 is right. */
const digestBytes = 16;
const shape = /^[\w-]{64}$/;

/**
 * The token of a contact, in 64 characters: the IDs, and their HMAC under the key of the workspace. It is not stored, and is the
 * same whenever it is made.
 *
 * @param workspaceId UUID
 * @param contactId UUID
 */
export function unsubscribeToken(workspaceId: string, contactId: string, key: Uint8Array): string {
  const ids = Buffer.concat([bytesOf(workspaceId), bytesOf(contactId)]);
  return Buffer.concat([ids, digestOf(ids, key)]).toString('base64url');
}

/** Undefined if the text has not the shape of a token. */
export function readUnsubscribeToken(text: string): UnsubscribeToken | undefined {
  if (!shape.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  return {
    workspaceId: uuidIn(bytes, 0),
    contactId: uuidIn(bytes, uuidBytes),
    digest: bytes.subarray(2 * uuidBytes),
  };
}

/** Compares in constant time. */
export function isGenuine(token: UnsubscribeToken, key: Uint8Array): boolean {
  const ids = Buffer.concat([bytesOf(token.workspaceId), bytesOf(token.contactId)]);
  return timingSafeEqual(digestOf(ids, key), token.digest);
}

const digestOf = (ids: Buffer, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(ids).digest().subarray(0, digestBytes);

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function uuidIn(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + uuidBytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
