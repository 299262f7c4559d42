import { invalidFields, uuidOf, type Operations } from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { auditLog } from '../audit-log.js';
import { User } from '../entities/user.entity.js';
import type { UsersService } from '../service.js';
import { apiKeyShape } from '../keys/api-key.js';
import { callerKey, outlives } from '../keys/caller-key.js';
import { keyCreated } from '../keys/audited-key.js';
import { issueKey } from '../keys/issue-key.js';
import { requireScopesOf } from '../keys/require-scopes-of.js';

type CreateApiKey = Operations['api-keys.create'];

export const createApiKey = ({ ids }: UsersService): SessionHandler<CreateApiKey> =>
  each<CreateApiKey>((call, session) => {
    const { input, caller } = call;
    const { name, scopes, userId = caller.userId } = input;
    requireScopesOf(caller, scopes);
    const end = input.expiresAt === undefined ? undefined : new Date(input.expiresAt);
    if (end && end.getTime() <= Date.now()) throw expired();
    const owner = {
      workspaceId: uuidOf('workspace', caller.workspaceId),
      id: uuidOf('user', userId),
    };
    return session.transaction(async (inner) => {
      if (!(await inner.em.findOne(User, owner))) throw notAUser();
      const sentWith = await callerKey(inner, caller);
      const expiresAt = end ?? sentWith.expiresAt ?? null;
      if (outlives(expiresAt, sentWith)) throw tooLate(sentWith.expiresAt!);
      const { workspaceId, id } = owner;
      const created = { workspaceId, userId: id, name, scopes, expiresAt };
      const { key, secret } = await issueKey(inner, ids, created, notAUser);
      await auditLog.record(inner, call, keyCreated(key));
      return { apiKey: apiKeyShape(key), secret };
    });
  });

const expired = () => invalidFields([{ pointer: '/expiresAt', message: 'must be in the future' }]);

/** Otherwise a key that expires could be used to obtain access that does not. */
const tooLate = (end: Date) =>
  invalidFields([
    {
      pointer: '/expiresAt',
      message: `must not be later than the expiry of the API key that the request is sent with, ${end.toISOString()}`,
    },
  ]);

/** The same for a user of another workspace. */
const notAUser = () =>
  invalidFields([{ pointer: '/userId', message: 'must be the ID of a user of the workspace' }]);
