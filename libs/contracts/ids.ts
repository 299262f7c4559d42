import { z } from 'zod';

/** Prefix of the external form of each kind of ID. */
export const idPrefixes = {
  contact: 'cont',
  contactProperty: 'prop',
  user: 'usr',
  webhook: 'wh',
  workspace: 'wksp',
  key: 'key',
  event: 'evt',
  delivery: 'dlv',
  replay: 'rpl',
  auditEntry: 'aud',
  import: 'imp',
  contactAction: 'act',
  session: 'ses',
  suppression: 'sup',
  erasure: 'ers',
} as const;

export type IdKind = keyof typeof idPrefixes;

/** Crockford's base32 in lower case, without i, l, o and u. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const pairs = Array.from({ length: 1024 }, (_, n) => alphabet[n >> 5]! + alphabet[n & 31]!);
const valueOfPair = new Map(pairs.map((pair, n) => [pair, n]));

/**
 * The external form of a UUID of the database: a TypeID (prefix, underscore, 26 characters for the UUID's 128 bits).
 * https://github.com/jetify-com/typeid/tree/main/spec
 *
 * @param uuid canonical lower-case form with dashes
 */
export function encodeId(kind: IdKind, uuid: string): string {
  // Four words of 32 bits. The first byte makes 2 characters (with two zero bits in front), each further 10 bits 2 more.
  const a = Number.parseInt(uuid.slice(0, 8), 16);
  const b = Number.parseInt(uuid.slice(9, 13) + uuid.slice(14, 18), 16);
  const c = Number.parseInt(uuid.slice(19, 23) + uuid.slice(24, 28), 16);
  const d = Number.parseInt(uuid.slice(28), 16);
  return (
    `${idPrefixes[kind]}_` +
    pairs[a >>> 24]! +
    pairs[(a >>> 14) & 1023]! +
    pairs[(a >>> 4) & 1023]! +
    pairs[((a & 15) << 6) | (b >>> 26)]! +
    pairs[(b >>> 16) & 1023]! +
    pairs[(b >>> 6) & 1023]! +
    pairs[((b & 63) << 4) | (c >>> 28)]! +
    pairs[(c >>> 18) & 1023]! +
    pairs[(c >>> 8) & 1023]! +
    pairs[((c & 255) << 2) | (d >>> 30)]! +
    pairs[(d >>> 20) & 1023]! +
    pairs[(d >>> 10) & 1023]! +
    pairs[d & 1023]!
  );
}

/** The UUID of an external ID, or undefined if the text is not an ID of that kind. Never throws. */
export function decodeId(kind: IdKind, id: string): string | undefined {
  const prefix = idPrefixes[kind];
  const start = prefix.length + 1;
  if (id.length !== start + 26 || !id.startsWith(prefix) || id[start - 1] !== '_') return undefined;
  const first = valueOfPair.get(id.slice(start, start + 2));
  if (first === undefined || first > 255) return undefined;
  let hex = first.toString(16).padStart(2, '0');
  for (let at = start + 2; at < start + 26; at += 4) {
    const high = valueOfPair.get(id.slice(at, at + 2));
    const low = valueOfPair.get(id.slice(at + 2, at + 4));
    if (high === undefined || low === undefined) return undefined;
    hex += ((high << 10) | low).toString(16).padStart(5, '0');
  }
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The UUID of an ID that a contract has already validated. */
export function uuidOf(kind: IdKind, id: string): string {
  if (id === lastId) return lastUuid;
  const uuid = decodeId(kind, id);
  if (uuid === undefined) throw new TypeError(`not a ${kind} id`);
  if (kind === 'workspace') {
    lastId = id;
    lastUuid = uuid;
  }
  return uuid;
}

// A cache of one entry: most calls of a batch belong to the same workspace.
let lastId = '';
let lastUuid = '';

export const idPattern = (kind: IdKind): RegExp =>
  new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`);

export const idSchema = (kind: IdKind) =>
  z
    .string()
    .regex(idPattern(kind), { error: `must be an ID with the prefix ${idPrefixes[kind]}_` })
    .meta({
      examples: [encodeId(kind, '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01')],
    });

/** ID of what a request was sent with: an API key, or a session of the console. */
export const credentialId = z
  .string()
  .regex(/^(?:key|ses)_[0-7][0-9a-hjkmnp-tv-z]{25}$/, {
    error: 'must be an ID with the prefix key_ or ses_',
  })
  .meta({ examples: [encodeId('key', '01935a2e-7b00-7c3d-9f10-2b6a4d8e9f01')] });

/** A kind of object that has an ID and that operations refer to. */
export interface Resource {
  /** Field that contains the ID, in inputs and in paths of REST. */
  idField: string;
  /** As in "No such contact." */
  noun: string;
}

export const resources = {
  contact: { idField: 'contactId', noun: 'contact' },
  contactProperty: { idField: 'propertyId', noun: 'contact property' },
  user: { idField: 'userId', noun: 'user' },
  key: { idField: 'keyId', noun: 'key' },
  webhook: { idField: 'webhookId', noun: 'webhook' },
  delivery: { idField: 'deliveryId', noun: 'delivery' },
  replay: { idField: 'replayId', noun: 'replay' },
  import: { idField: 'importId', noun: 'import' },
  contactAction: { idField: 'actionId', noun: 'action' },
  event: { idField: 'eventId', noun: 'event' },
  session: { idField: 'sessionId', noun: 'session' },
  suppression: { idField: 'suppressionId', noun: 'suppression' },
  erasure: { idField: 'erasureId', noun: 'erasure' },
} as const satisfies Partial<Record<IdKind, Resource>>;

export type ResourceKind = keyof typeof resources;
