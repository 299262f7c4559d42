import { encodeId, scopes, type Operations } from '@roster/contracts';
import { each } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { newUser, userCreated } from './create-user.js';
import { issueKey } from '../keys/issue-key.js';
import { keyCreated } from '../keys/api-key.js';
import { User } from '../entities/user.entity.js';
import { Workspace } from '../entities/workspace.entity.js';

/** Writes no event: the workspace has no webhooks yet. */
export const createWorkspace = ({ ids }: UsersService) =>
  each<Operations['workspaces.create']>((call, session) =>
    session.transaction(async (inner) => {
      const { em } = inner;
      const { input } = call;
      const now = new Date();
      const workspaceId = ids.next();
      const owner = newUser(
        workspaceId,
        ids.next(),
        { email: input.ownerEmail, name: input.ownerName },
        now,
      );
      await em.insert(Workspace, { id: workspaceId, name: input.name, createdAt: now });
      await em.insert(User, owner);
      const created = { workspaceId, userId: owner.id, name: '', scopes, expiresAt: null };
      const { key, secret } = await issueKey(inner, ids, created);
      const owned = { workspaceId: encodeId('workspace', workspaceId) };
      await auditLog.record(
        inner,
        call,
        { ...userCreated(owner), ...owned },
        { ...keyCreated(key), ...owned },
      );
      return {
        workspaceId: encodeId('workspace', workspaceId),
        userId: encodeId('user', owner.id),
        apiKey: secret,
      };
    }),
  );
