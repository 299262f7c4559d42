import { hash, randomInt } from 'node:crypto';
import { apiKeysMax, Fault, base62, checksumOf, type Scope } from '@roster/contracts';
import type { IdClock } from '@roster/process';
import {
  violatedForeignKey,
  noCipher,
  type Session,
  type Statement,
  type AnswerCipher,
} from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';

export interface NewKey {
  workspaceId: string;
  userId: string;
  name: string;
  scopes: readonly Scope[];
  expiresAt: Date | null;
}

/**
 * Creates a key for a user. Its secret is known only now.
 *
 * @param session a transaction
 *
 * @param userGone the fault if the user was deleted meanwhile
 *
 * @throws Fault `limit_reached`
 */
export async function issueKey(
  session: Session,
  ids: IdClock,
  { workspaceId, userId, name, scopes, expiresAt }: NewKey,
  userGone?: () => Fault,
): Promise<{ key: ApiKey; secret: string }> {
  const { em } = session;
  await session.query(queue, [workspaceId]);
  if ((await em.count(ApiKey, { workspaceId, revokedAt: null })) >= apiKeysMax) throw full;
  const { secret, sha256, prefix } = randomSecret();
  const key = em.create(ApiKey, {
    workspaceId,
    id: ids.next(),
    user: [workspaceId, userId],
    sha256,
    prefix,
    name,
    scopes: [...new Set(scopes)],
    createdAt: new Date(),
    expiresAt,
  });
  try {
    await em.insert(key);
  } catch (error) {
    throw userGone && violatedForeignKey(error) !== undefined ? userGone() : error;
  }
  return { key, secret };
}

const full = new Fault('limit_reached', `A workspace can have at most ${apiKeysMax} API keys.`);

/** Serializes creations in one workspace, so that none exceeds the limit. */
const queue: Statement = {
  name: 'keys.queue',
  text: `select pg_advisory_xact_lock(hashtextextended('roster:keys:' || $1, 0))`,
};

/** The secret of an API key, and what is stored of it. */
interface Secret {
  secret: string;
  sha256: Buffer;
  prefix: string;
}

/** `rsk_` and 6 of the 30 random characters. The others have about 142 random bits. */
const prefixLength = 10;

/** About 178 random bits, with uniformly distributed characters (`randomInt` has no modulo bias), and their checksum. */
export function randomSecret(): Secret {
  const random = Array.from({ length: 30 }, () => base62[randomInt(base62.length)]).join('');
  const secret = `rsk_${random}${checksumOf(random)}`;
  return {
    secret,
    sha256: hash('sha256', secret, 'buffer'),
    prefix: secret.slice(0, prefixLength),
  };
}

/** Stores only the ID of the key of a response with a secret. A repeated request is answered `conflict` with that ID. */
export const shownOnce: AnswerCipher = {
  ...noCipher,
  encrypt: (answer) => (JSON.parse(answer) as { apiKey: { id: string } }).apiKey.id,
  decrypt(existingId) {
    throw new Fault(
      'conflict',
      'The request with this Idempotency-Key was applied, and its response contained a secret, which is not stored. Rotate the API key if the response was lost.',
      { existingId },
    );
  },
};
