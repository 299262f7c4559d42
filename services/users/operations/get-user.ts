import { notFound, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { User } from '../entities/user.entity.js';
import { userShape } from '../user.js';

type GetUser = Operations['users.get'];

/** Unlike `users.me`, not an access of the user. */
export const getUser: SessionHandler<GetUser> = each<GetUser>(
  async ({ input, caller }, session) => {
    const user = await session.em.findOne(User, {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('user', input.userId),
    });
    if (!user) throw notFound('user');
    return { user: userShape(user) };
  },
);
