import { operations, type Operations } from '@roster/contracts';
import {
  conditional,
  inRounds,
  type ConditionedResources,
  type SessionHandler,
} from '@roster/service/storage';
import { auditLog } from '../audit-log.js';
import { keyEnded } from '../keys/caller-key.js';
import { seeUsers } from './see-users.js';

type UpdateMe = Operations['users.update-me'];

/** Recording the access locks the users. */
const seenUsers: ConditionedResources<UpdateMe> = {
  get: operations['users.me'],
  async lock(calls, inner) {
    const seen = await seeUsers(
      inner,
      calls.map(({ caller }) => ({ caller })),
    );
    return seen.map((one) => one && JSON.stringify({ user: one.user }));
  },
};

/** Applies calls of one user in order. */
export const updateMe: SessionHandler<UpdateMe> = inRounds<UpdateMe>(
  { rowOf: ({ caller }) => caller.userId },
  conditional<UpdateMe>(seenUsers, (calls, session) =>
    session.transaction(async (inner) => {
      const requested = calls.map(({ caller, input }) => ({ caller, name: input.name }));
      const seen = await seeUsers(inner, requested);
      for (const [index, one] of seen.entries()) {
        if (!one || one.user.name === one.formerName) continue;
        const { user, formerName } = one;
        await auditLog.record(inner, calls[index]!, {
          action: 'user.updated',
          resourceId: user.id,
          before: { name: formerName },
          after: { name: user.name },
        });
      }
      return seen.map((one) => (one ? { user: one.user } : keyEnded()));
    }),
  ),
);
