import type { Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/service/storage';
import { auditLog } from './audit-log.js';
import { seeUsers } from './see-users.js';

type UpdateMe = Operations['users.update-me'];

/** Applies calls of one user in order. */
export const updateMe: SessionHandler<UpdateMe> = inRounds<UpdateMe>(
  { rowOf: ({ caller }) => caller.userId },
  (calls, session) =>
    session.transaction(async (inner) => {
      const requested = calls.map(({ caller, input }) => ({ caller, name: input.name }));
      const seen = await seeUsers(inner, requested);
      for (const [index, { user, formerName }] of seen.entries()) {
        if (user.name === formerName) continue;
        await auditLog.record(inner, calls[index]!, {
          action: 'user.updated',
          resourceId: user.id,
          before: { name: formerName },
          after: { name: user.name },
        });
      }
      return seen.map(({ user }) => ({ user }));
    }),
);
