import type { Call } from '@roster/bus';
import { encodeId, operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type Session, type SessionHandler } from '@roster/service/storage';
import { auditLog } from '../audit-log.js';
import type { UsersService } from '../service.js';
import { apiKeyShape } from './api-key.js';
import { keyDeleted } from './audited-key.js';
import { lockKey, type Reach } from './lock-key.js';
import { withinReach } from './within-reach.js';

type RevokeKey = Operations['keys.revoke'];
type DeleteApiKey = Operations['api-keys.delete'];

/** For operators. */
export const revokeKey = (service: UsersService): SessionHandler<RevokeKey> =>
  each<RevokeKey>(async (call, session) => {
    await revoke(service, session, withinReach(call.caller), call);
    return { revoked: true };
  });

export const deleteApiKey = (service: UsersService): SessionHandler<DeleteApiKey> =>
  each<DeleteApiKey>(async (call, session) => {
    const own = { workspaceId: uuidOf('workspace', call.caller.workspaceId) };
    await revoke(service, session, own, call);
    return { deleted: true };
  });

/** The first revocation determines the time. Another one broadcasts again. @throws Fault `not_found` */
const revoke = (
  { bus }: UsersService,
  session: Session,
  reach: Reach,
  call: Call<{ keyId: string }>,
) =>
  session.transaction(async (inner) => {
    const { keyId } = call.input;
    const key = await lockKey(inner, reach, keyId);
    if (key.revokedAt === null || key.revokedAt === undefined) {
      requireMatch(call, operations['api-keys.get'], () =>
        JSON.stringify({ apiKey: apiKeyShape(key) }),
      );
      key.revokedAt = new Date();
      await inner.em.flush();
      await auditLog.record(inner, call, {
        ...keyDeleted(key),
        workspaceId: encodeId('workspace', key.workspaceId),
      });
    }
    inner.afterCommit(() => bus.broadcast('keys.revoked', { keyId }));
  });
