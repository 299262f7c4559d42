import { encodeId } from '@roster/contracts';
import type { Session, Statement } from '@roster/storage';
import type { UsersService } from '../service.js';

/**
 * Ends the sessions of keys that end, and their unused links.
 *
 * @param session the transaction that has locked the keys
 */
export async function endSessionsOf(
  session: Session,
  bus: UsersService['bus'],
  workspaceId: string,
  keyIds: readonly string[],
): Promise<void> {
  const ended = await session.query<{ id: string }>(ofKeys, [workspaceId, keyIds]);
  tellGateways(session, bus, ended);
}

/** Ends what the identity of a key has opened, and its unused links. The transaction has locked the key. */
export async function endSignInsOf(
  session: Session,
  bus: UsersService['bus'],
  workspaceId: string,
  keyId: string,
): Promise<void> {
  const ended = await session.query<{ id: string }>(ofIdentity, [workspaceId, keyId]);
  tellGateways(session, bus, ended);
}

/** Gateways end what the browser tokens of the sessions have open. */
export function tellGateways(
  session: Session,
  bus: UsersService['bus'],
  ended: readonly { id: string }[],
): void {
  session.afterCommit(() => {
    for (const { id } of ended) bus.broadcast('keys.revoked', { keyId: encodeId('session', id) });
  });
}

/** The entry of the audit log about a session that ended before its time. */
export const sessionDeleted = (id: string) => ({
  action: 'session.deleted' as const,
  resourceId: encodeId('session', id),
});

const ofKeys: Statement = {
  name: 'sessions.end-of-keys',
  text: `
    with links as (
      delete from users.session_links where workspace_id = $1 and key_id = any ($2::uuid[])
    )
    delete from users.sessions where workspace_id = $1 and key_id = any ($2::uuid[]) returning id`,
};

const ofIdentity: Statement = {
  name: 'sessions.end-of-identity',
  text: `
    with links as (
      delete from users.session_links where workspace_id = $1 and key_id = $2 and by_identity
    )
    delete from users.sessions where workspace_id = $1 and key_id = $2 and by_identity returning id`,
};
