import { uuidOf, type Operations } from '@roster/contracts';
import { each, type Session, type SessionHandler } from '@roster/service/storage';
import type { UsersService } from '../service.js';
import { lockKey, type Reach } from './lock-key.js';
import { withinReach } from './within-reach.js';

type RevokeKey = Operations['keys.revoke'];
type DeleteApiKey = Operations['api-keys.delete'];

/** For operators. */
export const revokeKey = (service: UsersService): SessionHandler<RevokeKey> =>
  each<RevokeKey>(async ({ input, caller }, session) => {
    await revoke(service, session, withinReach(caller), input.keyId);
    return { revoked: true };
  });

export const deleteApiKey = (service: UsersService): SessionHandler<DeleteApiKey> =>
  each<DeleteApiKey>(async ({ input, caller }, session) => {
    const own = { workspaceId: uuidOf('workspace', caller.workspaceId) };
    await revoke(service, session, own, input.keyId);
    return { deleted: true };
  });

/** The first revocation determines the time. Another one broadcasts again. @throws Fault `not_found` */
const revoke = ({ bus }: UsersService, session: Session, reach: Reach, keyId: string) =>
  session.transaction(async (inner) => {
    const key = await lockKey(inner, reach, keyId);
    key.revokedAt ??= new Date();
    await inner.em.flush();
    inner.afterCommit(() => bus.broadcast('keys.revoked', { keyId }));
  });
