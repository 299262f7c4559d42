import {
  invalidFields,
  uuidOf,
  encodeId,
  inputTimestamp,
  notFound,
  type Operations,
} from '@roster/contracts';
import { each } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import { User } from '../entities/user.entity.js';
import { apiKeyShape, keyCreated } from '../keys/api-key.js';
import { callerKey, outlives, requireScopesOf } from '../keys/caller-key.js';
import { issueKey } from '../keys/issue-key.js';
import { withinReach } from '../keys/lock-key.js';

export const createApiKey = ({ ids }: UsersService) =>
  each<Operations['api-keys.create']>((call, session) => {
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

/** For operators. */
export const createKey = ({ ids }: UsersService) =>
  each<Operations['keys.create']>((call, session) =>
    session.transaction(async (inner) => {
      const { input, caller } = call;
      const { scopes, name = '' } = input;
      const expiresAt = input.expiresAt === undefined ? null : timeOf(input.expiresAt);
      const userId = uuidOf('user', input.userId);
      const user = await inner.em.findOne(User, { id: userId, ...withinReach(caller) });
      if (!user) throw noUser();
      const { workspaceId } = user;
      const created = { workspaceId, userId, name, scopes, expiresAt };
      const { key, secret } = await issueKey(inner, ids, created, noUser);
      await auditLog.record(inner, call, {
        ...keyCreated(key),
        workspaceId: encodeId('workspace', workspaceId),
      });
      return { keyId: encodeId('key', key.id), apiKey: secret };
    }),
  );

const noUser = () => notFound('user');

/** The contract accepts any text. A date without a time is its beginning in UTC. */
function timeOf(text: string): Date {
  const isDate = /^\d{4}-\d\d-\d\d$/.test(text);
  const { data, error } = inputTimestamp.safeParse(isDate ? `${text}T00:00:00Z` : text);
  if (!error) return new Date(data);
  throw invalidFields(error.issues.map(({ message }) => ({ pointer: '/expiresAt', message })));
}
