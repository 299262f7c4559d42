import type { Call } from '@roster/bus';
import { encodeId, Fault, notFound, uuidOf, type Operations, type Scope } from '@roster/contracts';
import { each, type Session } from '@roster/storage';
import { auditLog, type UsersService } from '../service.js';
import type { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape, auditedKey } from '../keys/api-key.js';
import { callerKey, outlives, requireScopesOf } from '../keys/caller-key.js';
import { lockKey, type Reach, withinReach } from '../keys/lock-key.js';
import { randomSecret } from '../keys/issue-key.js';

export const rotateApiKey = (service: UsersService) =>
  each<Operations['api-keys.rotate']>((call, session) =>
    session.transaction(async (inner) => {
      const { caller } = call;
      const own = { workspaceId: uuidOf('workspace', caller.workspaceId) };
      const { key, secret } = await rotate(service, inner, own, call, async (rotated) => {
        requireScopesOf(caller, rotated.scopes as Scope[]);
        if (outlives(rotated.expiresAt, await callerKey(inner, caller))) throw tooLong;
      });
      return { apiKey: apiKeyShape(key), secret };
    }),
  );

/** For operators. */
export const rotateKey = (service: UsersService) =>
  each<Operations['keys.rotate']>((call, session) =>
    session.transaction(async (inner) => {
      const { input, caller } = call;
      const { secret } = await rotate(service, inner, withinReach(caller), call, async () => {});
      return { keyId: input.keyId, apiKey: secret };
    }),
  );

/**
 * Replaces the secret of a key. The replaced one remains valid for `overlapSeconds`. While it is, a further rotation must end the
 * overlap: it could otherwise invalidate the only secret in use, after a rotation whose response was lost.
 *
 * @param permit rejects if the caller may not have the new secret
 * @throws Fault `not_found`; `conflict`
 */
async function rotate(
  { bus }: UsersService,
  session: Session,
  reach: Reach,
  call: Call<{ keyId: string; overlapSeconds: number }>,
  permit: (key: ApiKey) => Promise<void>,
): Promise<{ key: ApiKey; secret: string }> {
  const { keyId, overlapSeconds } = call.input;
  const key = await lockKey(session, reach, keyId);
  if (key.revokedAt) throw notFound('key');
  await permit(key);
  const now = Date.now();
  if (key.expiresAt && key.expiresAt.getTime() <= now) throw expired();
  const overlaps = overlapSeconds > 0;
  if (overlaps && key.previousUntil && key.previousUntil.getTime() > now)
    throw overlapping(key.previousUntil);
  const { secret, sha256, prefix } = randomSecret();
  const before = auditedKey(key);
  key.previousSha256 = overlaps ? key.sha256 : null;
  key.previousUntil = overlaps ? new Date(now + overlapSeconds * 1000) : null;
  key.sha256 = sha256;
  key.prefix = prefix;
  await session.em.flush();
  await auditLog.record(session, call, {
    action: 'api_key.rotated',
    resourceId: keyId,
    workspaceId: encodeId('workspace', key.workspaceId),
    before,
    after: { ...auditedKey(key), overlapSeconds },
  });
  session.afterCommit(() =>
    bus.broadcast('keys.revoked', {
      keyId: encodeId('key', key.id),
      ...(overlaps && { isValid: true }),
    }),
  );
  return { key, secret };
}

/** Otherwise a key that expires could be used to obtain access that does not. */
const tooLong = new Fault(
  'insufficient_scope',
  'The API key that the request is sent with expires before the one to be rotated, and cannot rotate it.',
);

const expired = () => new Fault('conflict', 'The API key has expired. Create another one.');

const overlapping = (until: Date) =>
  new Fault(
    'conflict',
    `The API key was rotated, and its previous secret is valid until ${until.toISOString()}. To end both secrets now, rotate it with overlapSeconds 0.`,
  );
