import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/service/storage';
import { ApiKey } from './entities/api-key.entity.js';
import type { UsersService } from './service.js';
import { withinReach } from './within-reach.js';

type RevokeKey = Operations['keys.revoke'];

/** The first revocation determines the time. Another one broadcasts again. */
export const revokeKey = ({ bus }: UsersService): SessionHandler<RevokeKey> =>
  each<RevokeKey>(async ({ input, caller }, session) => {
    await session.transaction(async (inner) => {
      const { em } = inner;
      const key = await em.findOne(ApiKey, {
        id: uuidOf('key', input.keyId),
        ...withinReach(caller),
      });
      if (!key) throw notFound('key');
      key.revokedAt ??= new Date();
      await em.flush();
      inner.afterCommit(() => bus.broadcast('keys.revoked', { keyId: input.keyId }));
    });
    return { revoked: true };
  });
