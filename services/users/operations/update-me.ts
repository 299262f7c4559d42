import { operations, type Operations } from '@roster/contracts';
import { each, requireMatch, type SessionHandler } from '@roster/storage';
import { auditLog } from '../audit-log.js';
import { keyEnded } from '../keys/caller-key.js';
import { seeUsers } from './see-users.js';

type UpdateMe = Operations['users.update-me'];

export const updateMe: SessionHandler<UpdateMe> = each<UpdateMe>((call, session) =>
  session.transaction(async (inner) => {
    const { caller, input } = call;
    if (call.ifMatch !== undefined) {
      // Recording the access locks the user.
      const [current] = await seeUsers(inner, [{ caller }]);
      if (!current) throw keyEnded();
      requireMatch(call, operations['users.me'], () => JSON.stringify({ user: current.user }));
    }
    const [seen] = await seeUsers(inner, [{ caller, name: input.name }]);
    if (!seen) throw keyEnded();
    const { user, formerName } = seen;
    if (user.name !== formerName)
      await auditLog.record(inner, call, {
        action: 'user.updated',
        resourceId: user.id,
        before: { name: formerName },
        after: { name: user.name },
      });
    return { user };
  }),
);
