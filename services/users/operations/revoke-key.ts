import type { Call } from '@roster/bus';
import { encodeId, operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type Session } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import type { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape, keyDeleted } from '../keys/api-key.js';
import { lockKey, type Reach, withinReach } from '../keys/lock-key.js';
import { endSessionsOf } from '../sessions/end-sessions.js';
import { queueEndings, requireOtherKey } from '../keys/require-other-key.js';

/** Operators may also revoke the last key of a workspace, because they can make another one. */
export const revokeKey = (service: UsersService) =>
  each<Operations['keys.revoke']>((call, session) =>
    session.transaction(async (inner) => {
      await revoke(service, inner, withinReach(call.caller), call, async () => {});
      return { revoked: true };
    }),
  );

export const deleteApiKey = (service: UsersService) =>
  each<Operations['api-keys.delete']>((call, session) =>
    session.transaction(async (inner) => {
      const workspaceId = uuidOf('workspace', call.caller.workspaceId);
      await queueEndings(inner, workspaceId);
      await revoke(service, inner, { workspaceId }, call, (key) =>
        requireOtherKey(inner, workspaceId, [key]),
      );
      return { deleted: true };
    }),
  );

/**
 * The first revocation determines the time. Another one broadcasts again.
 *
 * @param permit rejects if the key must not be revoked
 *
 * @throws Fault `not_found`
 */
async function revoke(
  { bus }: UsersService,
  session: Session,
  reach: Reach,
  call: Call<{ keyId: string }>,
  permit: (key: ApiKey) => Promise<void>,
): Promise<void> {
  const { keyId } = call.input;
  const key = await lockKey(session, reach, keyId);
  if (key.revokedAt === null || key.revokedAt === undefined) {
    requireMatch(call, operations['api-keys.get'], () =>
      JSON.stringify({ apiKey: apiKeyShape(key) }),
    );
    await permit(key);
    key.revokedAt = new Date();
    await session.em.flush();
    await endSessionsOf(session, bus, key.workspaceId, [key.id]);
    await auditLog.record(session, call, {
      ...keyDeleted(key),
      workspaceId: encodeId('workspace', key.workspaceId),
    });
  }
  session.afterCommit(() => bus.broadcast('keys.revoked', { keyId }));
}
