import { LockMode } from '@mikro-orm/core';
import { notFound, uuidOf } from '@roster/contracts';
import type { Session } from '@roster/storage';
import { ApiKey } from '../entities/api-key.entity.js';

/** The workspaces in which a key is searched by its ID. */
export type Reach = { workspaceId?: string };

/**
 * The row of a key, locked until the end of the transaction.
 *
 * @throws Fault `not_found`
 */
export async function lockKey(session: Session, reach: Reach, keyId: string): Promise<ApiKey> {
  const where = { id: uuidOf('key', keyId), ...reach };
  const key = await session.em.findOne(ApiKey, where, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (!key) throw notFound('key');
  return key;
}
