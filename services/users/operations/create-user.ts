import { emailKey, encodeId, Fault, uuidOf, type Operations } from '@roster/contracts';
import { each, makeEvent, violatedUnique, tracedBy } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { User } from '../entities/user.entity.js';
import { userShape } from '../user.js';
import { Workspace } from '../entities/workspace.entity.js';

/** Creates the user and the event for webhooks of the workspace in one transaction. */
export const createUser = ({ ids, outbox }: UsersService) =>
  each<Operations['users.create']>(async (call, session) => {
    const { input, caller } = call;
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    const { email, name } = input;
    try {
      return await session.transaction(async (inner) => {
        const { em } = inner;
        const workspace = await em.findOneOrFail(Workspace, { id: workspaceId });
        const now = new Date();
        const user = newUser(workspaceId, ids.next(), input, now);
        await em.insert(User, user);
        await auditLog.record(inner, call, userCreated(user));
        const data = {
          workspace: { id: caller.workspaceId, name: workspace.name },
          user: { id: encodeId('user', user.id), email, name },
        };
        await outbox.add(inner, [
          {
            ...makeEvent(ids, workspaceId, 'WORKSPACE_TEAM_MEMBER_JOINED', data, now),
            ...tracedBy(call),
          },
        ]);
        return { user: userShape(user) };
      });
    } catch (error) {
      if (violatedUnique(error) !== 'users_email') throw error;
      const existing = await session.em.findOneOrFail(User, {
        workspaceId,
        emailKey: emailKey(email),
      });
      throw new Fault('conflict', 'A user with this email already exists.', {
        errors: [{ pointer: '/email', message: 'is the address of another user' }],
        existingId: encodeId('user', existing.id),
      });
    }
  });

/** The entry of the audit log. */
export const userCreated = ({ id, email, name }: Pick<User, 'id' | 'email' | 'name'>) => ({
  action: 'user.created' as const,
  resourceId: encodeId('user', id),
  after: { email, name },
});

/** A new user, with the time of creation as last access. */
export const newUser = (
  workspaceId: string,
  id: string,
  { email, name }: { email: string; name: string },
  now: Date,
) => ({
  workspaceId,
  id,
  email,
  emailKey: emailKey(email),
  name,
  createdAt: now,
  lastAccessedAt: now,
});
