import {
  encodeId,
  inputTimestamp,
  invalidFields,
  notFound,
  uuidOf,
  type Operations,
} from '@roster/contracts';
import { each, type SessionHandler } from '@roster/storage';
import { auditLog } from '../audit-log.js';
import { User } from '../entities/user.entity.js';
import type { UsersService } from '../service.js';
import { keyCreated } from '../keys/audited-key.js';
import { issueKey } from '../keys/issue-key.js';
import { withinReach } from '../keys/within-reach.js';

type CreateKey = Operations['keys.create'];

/** For operators. */
export const createKey = ({ ids }: UsersService): SessionHandler<CreateKey> =>
  each<CreateKey>((call, session) =>
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
