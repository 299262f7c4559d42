import type { Operations } from '@roster/contracts';
import { inRounds, type SessionHandler } from '@roster/service/storage';
import { seeUsers } from './see-users.js';

type UpdateMe = Operations['users.update-me'];

/** Calls of one user are applied in their order. */
export const updateMe: SessionHandler<UpdateMe> = (calls, session) =>
  inRounds<UpdateMe>(
    calls,
    ({ caller }) => caller.userId,
    (round) =>
      seeUsers(
        session,
        round.map(({ caller, input }) => ({ caller, name: input.name })),
      ),
  );
