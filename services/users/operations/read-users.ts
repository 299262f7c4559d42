import { userCursor, uuidOf, notFound, type Operations, type OutputOf } from '@roster/contracts';
import { each, type Session } from '@roster/storage';
import { User } from '../entities/user.entity.js';
import { userShape } from '../user.js';

/** Unlike `users.me`, not an access of the user. */
export const getUser = each<Operations['users.get']>(async ({ input, caller }, session) => {
  const user = await session.em.findOne(User, {
    workspaceId: uuidOf('workspace', caller.workspaceId),
    id: uuidOf('user', input.userId),
  });
  if (!user) throw notFound('user');
  return { user: userShape(user) };
});

type ListUsers = Operations['users.list'];

export const listUsers = each<ListUsers>(({ input, caller }, session) =>
  pageOfUsers(session, uuidOf('workspace', caller.workspaceId), input),
);

/** For operators. */
export const listUsersOfWorkspace = each<Operations['workspaces.users']>(({ input }, session) =>
  pageOfUsers(session, uuidOf('workspace', input.workspaceId), input),
);

/** Users of the workspace, oldest first. */
export async function pageOfUsers(
  { em }: Session,
  workspaceId: string,
  { limit, after }: { limit: number; after?: string | undefined },
): Promise<OutputOf<ListUsers>> {
  const rows = await em.find(
    User,
    {
      workspaceId,
      ...(after !== undefined && { id: { $gt: userCursor.uuidOfAfter(after) } }),
    },
    { orderBy: { id: 'asc' }, limit: limit + 1 },
  );
  const users = rows.slice(0, limit);
  const next = rows.length > limit ? userCursor.ofUuid(users.at(-1)!.id) : null;
  return { users: users.map(userShape), pagination: { limit, next } };
}
