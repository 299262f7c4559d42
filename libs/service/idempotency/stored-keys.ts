import type { Call } from '@roster/bus';
import { uuidOf } from '@roster/contracts';

export const workspaceOf = ({ caller }: Call): string => uuidOf('workspace', caller.workspaceId);

export const userOf = ({ caller }: Call): string | null =>
  caller.userId === '' ? null : uuidOf('user', caller.userId);

/** A repeated call has the same condition: the stored response is returned, although the resource has changed since. */
export const inputText = ({ input, ifMatch }: Call): string =>
  JSON.stringify(ifMatch === undefined ? input : { input, ifMatch });

/**
 * Possible stored forms of a key. The first form belongs to the first user of the workspace who used the key: a process of the
 * former release (until 0.4.0) that finds it unused applies the call without looking up the second form. For other users the key is prefixed
 * with their ID. Keys contain no spaces.
 */
export function storedKeys(call: Call): string[] {
  const { idempotencyKey: key } = call;
  if (key === undefined) return [];
  const userId = userOf(call);
  return userId === null ? [key] : [key, `${userId} ${key}`];
}
