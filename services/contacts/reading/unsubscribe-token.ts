import { createHmac, timingSafeEqual } from 'node:crypto';

/** The contact of a token. UUIDs. */
interface UnsubscribeIds {
  workspaceId: string;
  contactId: string;
}

/** What a token states: a contact, and a digest that only this service can make. */
export interface UnsubscribeToken extends UnsubscribeIds {
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
  const ids = idsOf({ workspaceId, contactId });
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
export const isGenuine = (token: UnsubscribeToken, key: Uint8Array): boolean =>
  timingSafeEqual(digestOf(idsOf(token), key), token.digest);

const undoMs = 15 * 60_000;

/** One unsubscription: the contact, and its version afterwards. */
export interface Unsubscription extends UnsubscribeIds {
  version: number;
}

/**
 * Allows to undo an unsubscription, and no later one, until it expires: the time of expiry, and an HMAC of it with the IDs and the
 * version. It is not stored.
 *
 * @param now milliseconds
 */
export function undoOf(one: Unsubscription, key: Uint8Array, now: number): string {
  const expiry = String(now + undoMs);
  return `${expiry}.${undoDigest(one, expiry, key).toString('base64url')}`;
}

/** Whether the text allows to undo the unsubscription now. Compares in constant time. */
export function isUndo(text: string, one: Unsubscription, key: Uint8Array, now: number): boolean {
  const [, expiry = '', digest = ''] = /^(\d{1,16})\.([\w-]{22})$/.exec(text) ?? [];
  const given = Buffer.from(digest, 'base64url');
  const genuine = undoDigest(one, expiry, key);
  return given.length === digestBytes && timingSafeEqual(genuine, given) && now < Number(expiry);
}

// Its length differs from that of the IDs alone, so that neither digest is one of the other kind.
const undoDigest = ({ version, ...ids }: Unsubscription, expiry: string, key: Uint8Array): Buffer =>
  digestOf(Buffer.concat([idsOf(ids), Buffer.from(`undo ${expiry} ${version}`)]), key);

const idsOf = ({ workspaceId, contactId }: UnsubscribeIds): Buffer =>
  Buffer.concat([bytesOf(workspaceId), bytesOf(contactId)]);

const digestOf = (ids: Buffer, key: Uint8Array): Buffer =>
  createHmac('sha256', key).update(ids).digest().subarray(0, digestBytes);

const bytesOf = (uuid: string): Buffer => Buffer.from(uuid.replaceAll('-', ''), 'hex');

function uuidIn(bytes: Buffer, start: number): string {
  const hex = bytes.toString('hex', start, start + uuidBytes);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}
