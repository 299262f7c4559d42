import { decodeId, Fault, uuidOf, type Caller, type Scope } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { ConsoleSession } from '../entities/session.entity.js';

/**
 * The key that a request is sent with, as it is now: the gateway may have verified it before it was revoked. For a session, the key
 * that it was opened with, which bounds what the session may give to others.
 *
 * @throws Fault `unauthenticated` if it was revoked or has expired
 */
export async function callerKey(
  { em }: Session,
  { workspaceId, keyId }: Caller,
): Promise<Pick<ApiKey, 'id' | 'expiresAt'>> {
  const workspace = uuidOf('workspace', workspaceId);
  const sessionId = decodeId('session', keyId);
  const id =
    sessionId === undefined ? uuidOf('key', keyId) : await keyOfSession(em, workspace, sessionId);
  const key = await em.findOne(ApiKey, { workspaceId: workspace, id, revokedAt: null });
  if (key && (!key.expiresAt || key.expiresAt.getTime() > Date.now())) return key;
  throw keyEnded();
}

/** @throws Fault `unauthenticated` if the session has ended */
async function keyOfSession(em: Session['em'], workspaceId: string, id: string): Promise<string> {
  const found = await em.findOne(ConsoleSession, {
    workspaceId,
    id,
    expiresAt: { $gt: new Date() },
  });
  if (!found) throw keyEnded();
  // The relation is mapped to the primary key: workspace and ID.
  return (found.key as unknown as [string, string])[1];
}

export const keyEnded = (): Fault =>
  new Fault('unauthenticated', 'The API key was revoked or has expired, or the session has ended.');

/** Whether a secret with an expiry is valid for longer than a key. No date is no expiry. */
export const outlives = (
  expiresAt: Date | null | undefined,
  { expiresAt: end }: Pick<ApiKey, 'expiresAt'>,
): boolean => !!end && (!expiresAt || expiresAt > end);

/** A new secret grants at most the scopes of the key that requests it. @throws Fault `insufficient_scope` */
export function requireScopesOf({ scopes }: Caller, requested: readonly Scope[]): void {
  const missing = requested.filter((scope) => !scopes.includes(scope));
  if (missing.length > 0)
    throw new Fault(
      'insufficient_scope',
      `The API key does not have the scope ${missing.join(', ')}, and cannot give it to another key.`,
    );
}
