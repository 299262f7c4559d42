import type { Call } from '@roster/bus';
import { uuidOf } from '@roster/contracts';

export const workspaceOf = ({ caller }: Call): string => uuidOf('workspace', caller.workspaceId);

export const userOf = ({ caller }: Call): string | null =>
  caller.userId === '' ? null : uuidOf('user', caller.userId);

/**
 * What a call was sent with, and whose Idempotency-Keys it uses: an API key, with any of its secrets, one browser token, or a session,
 * whose tokens last for minutes.
 */
export const credentialOf = ({ caller: { keyId, token, tokenId = '' } }: Call): string =>
  token && token.isFresh === undefined ? `${keyId}/${tokenId}` : keyId;

/**
 * The input of a call as text, which is the same in whatever order a client has sent the keys of objects. A repeated call has the
 * same condition: the stored response is returned, although the resource has changed since.
 */
export function inputText({ input, ifMatch }: Call): string {
  // The contract has put the fields of the input in its order.
  const text = JSON.stringify(input, (_, value: unknown) =>
    value === input || !isObject(value) ? value : sorted(value),
  );
  return ifMatch === undefined ? text : `{"input":${text},"ifMatch":${JSON.stringify(ifMatch)}}`;
}

/** Until 0.4.0: as 0.2.0 hashes it. */
export const formerInputText = ({ input, ifMatch }: Call): string =>
  JSON.stringify(ifMatch === undefined ? input : { input, ifMatch });

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** By UTF-16 code units, as RFC 8785. */
const sorted = (value: object): object =>
  Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * Possible stored forms of a key. The first form belongs to the first credential of the workspace that used the key, and the
 * second to the next one of the user: until 0.4.0, because the former release looks up these two, and never applies a call whose key
 * it finds. For further credentials the key is prefixed with their ID. Keys contain no spaces.
 */
export function storedKeys(call: Call): string[] {
  const { idempotencyKey: key } = call;
  if (key === undefined) return [];
  const userId = userOf(call);
  const own = `${credentialOf(call)} ${key}`;
  return userId === null ? [key, own] : [key, `${userId} ${key}`, own];
}

/** Whether a call may use a row that is stored with its key. Until 0.4.0: rows of 0.2.0 belong to a user. */
export const isOwn = (row: KeyOwner, call: Call): boolean =>
  row.credential === null ? row.user_id === userOf(call) : row.credential === credentialOf(call);

interface KeyOwner {
  credential: string | null;
  user_id: string | null;
}
