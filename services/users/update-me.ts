import type { Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/service/storage';
import { seeUsers } from './see-users.js';

type UpdateMe = Operations['users.update-me'];

/** Applies calls of one user in order. */
export const updateMe: SessionHandler<UpdateMe> = inRounds<UpdateMe>(
  { rowOf: ({ caller }) => caller.userId },
  (calls, session) =>
    seeUsers(
      session,
      calls.map(({ caller, input }) => ({ caller, name: input.name })),
    ),
);
