import { LockMode } from '@mikro-orm/core';
import { encodeId, Fault, notFound, operations, uuidOf, type Operations } from '@roster/contracts';
import { each, requireMatch, type Session, type Statement } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { ApiKey } from '../entities/api-key.entity.js';
import { User } from '../entities/user.entity.js';
import { keyDeleted } from '../keys/api-key.js';
import { callerKey } from '../keys/caller-key.js';
import { endSessionsOf } from '../sessions/end-sessions.js';
import { queueEndings, requireOtherKey } from '../keys/require-other-key.js';
import { userShape } from '../user.js';

/**
 * Deletes a user with their API keys and sessions, with the effects of revocations. A user cannot delete itself: in every workspace, a user
 * with a valid key remains. That key must not end much sooner than those of the deleted user.
 */
export const deleteUser = ({ bus }: UsersService) =>
  each<Operations['users.delete']>((call, session) => {
    const { input, caller } = call;
    if (input.userId === caller.userId) throw ownUser();
    const own = {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('user', input.userId),
    };
    return session.transaction(async (inner) => {
      // Creations of keys reference the user, and wait for this lock.
      const user = await inner.em.findOne(User, own, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!user) throw notFound('user');
      await queueEndings(inner, own.workspaceId);
      // If two users delete each other, the second deletion is refused: the first one has deleted its key.
      await callerKey(inner, caller);
      requireMatch(call, operations['users.get'], () => JSON.stringify({ user: userShape(user) }));
      const keys = await validKeys(inner, own);
      await requireOtherKey(inner, own.workspaceId, keys);
      await endSessionsOf(
        inner,
        bus,
        own.workspaceId,
        keys.map(({ id }) => id),
      );
      await inner.query(remove, [own.workspaceId, own.id]);
      const { email, name } = user;
      await auditLog.record(inner, call, ...keys.map(keyDeleted), {
        action: 'user.deleted',
        resourceId: input.userId,
        before: { email, name },
      });
      inner.afterCommit(() => {
        for (const { id } of keys) bus.broadcast('keys.revoked', { keyId: encodeId('key', id) });
      });
      return { deleted: true };
    });
  });

/** Keys of a user that are not revoked. They are locked: one that is being revoked is recorded by its revocation only. */
const validKeys = ({ em }: Session, { workspaceId, id }: { workspaceId: string; id: string }) =>
  em.find(
    ApiKey,
    { workspaceId, user: [workspaceId, id], revokedAt: null },
    { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
  );

const ownUser = (): Fault =>
  new Fault('conflict', 'A user cannot delete itself: use the API key of another user.');

/** All keys, revoked ones too. Checks of the foreign key run at the end of the statement. */
const remove: Statement = {
  name: 'users.delete',
  text: `
    with keys as (
      delete from users.api_keys where workspace_id = $1::uuid and user_id = $2::uuid
    )
    delete from users.users where workspace_id = $1::uuid and id = $2::uuid`,
};
