import { encodeId, scopes, type Operations, type WorkspaceQuotas } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import { each, type AuditedCall, type Session } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { newUser, userCreated } from './create-user.js';
import { issueKey } from '../keys/issue-key.js';
import { keyCreated } from '../keys/api-key.js';
import { User } from '../entities/user.entity.js';
import { Workspace } from '../entities/workspace.entity.js';

/** For operators. */
export const createWorkspace = ({ ids }: UsersService) =>
  each<Operations['workspaces.create']>((call, session) =>
    session.transaction(async (inner) => {
      const { workspace, owner, secret } = await insertWorkspace(inner, ids, call, call.input);
      return {
        workspaceId: encodeId('workspace', workspace.id),
        userId: encodeId('user', owner.id),
        apiKey: secret,
      };
    }),
  );

export interface NewWorkspace {
  name: string;
  externalId?: string | undefined;
  ownerEmail: string;
  ownerName: string;
  quotas?: { [Name in keyof WorkspaceQuotas]?: WorkspaceQuotas[Name] | undefined } | undefined;
}

/**
 * Creates a workspace with an owner and a key. Writes no event: the workspace has no webhooks yet.
 *
 * @param session a transaction
 */
export async function insertWorkspace(
  session: Session,
  ids: IdClock,
  call: AuditedCall,
  { name, externalId, ownerEmail, ownerName, quotas = {} }: NewWorkspace,
) {
  const { em } = session;
  const now = new Date();
  const workspaceId = ids.next();
  const workspace = em.create(Workspace, {
    ...{ id: workspaceId, name, createdAt: now },
    externalId: externalId ?? null,
    quotaContacts: quotas.contacts ?? null,
    quotaRequestsPerDay: quotas.requestsPerDay ?? null,
  });
  const owner = newUser(workspaceId, ids.next(), { email: ownerEmail, name: ownerName }, now);
  await em.insert(workspace);
  await em.insert(User, owner);
  const created = { workspaceId, userId: owner.id, name: '', scopes, expiresAt: null };
  const { key, secret } = await issueKey(session, ids, created);
  const owned = { workspaceId: encodeId('workspace', workspaceId) };
  await auditLog.record(
    session,
    call,
    { ...userCreated(owner), ...owned },
    { ...keyCreated(key), ...owned },
  );
  return { workspace, owner, key, secret };
}
