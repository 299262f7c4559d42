import { encodeId, Fault, notFound, uuidOf, type Operations, type Scope } from '@roster/contracts';
import { each, type Session, type Statement } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape } from '../keys/api-key.js';
import { callerKey, outlives, requireScopesOf } from '../keys/caller-key.js';
import { lockKey } from '../keys/lock-key.js';
import { auditLog, type UsersService } from '../service.js';
import { endSignInsOf } from '../sessions/end-sessions.js';
import { signInEmailKey } from '../sessions/sign-in-email.js';

/** Another email, or none, ends the sessions of the identity before. The same email leaves it as it is. */
export const setSignIn = ({ bus }: UsersService) =>
  each<Operations['api-keys.set-sign-in']>((call, session) => {
    const { input, caller } = call;
    const { keyId, email = null } = input;
    const workspaceId = uuidOf('workspace', caller.workspaceId);
    return session.transaction(async (inner) => {
      await inner.query(queue, [workspaceId]);
      const key = await lockKey(inner, { workspaceId }, keyId);
      if (key.revokedAt) throw notFound('key');
      if (email !== null) {
        requireScopesOf(caller, key.scopes as Scope[]);
        if (outlives(key.expiresAt, await callerKey(inner, caller))) throw tooLong;
      }
      const former = key.signInEmail ?? null;
      if (former === email) return { apiKey: apiKeyShape(key) };
      const emailKey = email === null ? null : signInEmailKey(email);
      if (emailKey !== null) await requireUnused(inner, key, emailKey);
      Object.assign(key, {
        ...{ signInEmail: email, signInEmailKey: emailKey },
        ...{ signInIssuer: null, signInSubject: null },
      });
      await inner.em.flush();
      await endSignInsOf(inner, bus, workspaceId, key.id);
      await auditLog.record(inner, call, {
        action: 'api_key.sign_in_updated',
        resourceId: keyId,
        before: { signInEmail: former },
        after: { signInEmail: email },
      });
      return { apiKey: apiKeyShape(key) };
    });
  });

/** Otherwise it would be undetermined as which key the address signs in. @throws Fault `conflict` */
async function requireUnused({ em }: Session, key: ApiKey, emailKey: string): Promise<void> {
  const { workspaceId, id } = key;
  const other = await em.findOne(ApiKey, {
    ...{ workspaceId, signInEmailKey: emailKey, revokedAt: null },
    id: { $ne: id },
  });
  if (!other) return;
  throw new Fault('conflict', 'The address may already sign in as another API key.', {
    errors: [{ pointer: '/email', message: 'is the address of another API key' }],
    existingId: encodeId('key', other.id),
  });
}

/** Serializes the changes of one workspace, so that two keys do not get the same address. */
const queue: Statement = {
  name: 'sign-ins.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:sign-ins:' || $1, 0))`,
};

/** Otherwise a key that expires could be used to obtain access that does not. */
const tooLong = new Fault(
  'insufficient_scope',
  'The API key that the request is sent with expires before the one to sign in as.',
);
