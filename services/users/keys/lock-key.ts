import { LockMode } from '@mikro-orm/core';
import { notFound, uuidOf, Fault, systemCaller, type Caller } from '@roster/contracts';
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

/**
 * Restricts the workspaces in which a caller may specify users and keys by ID. The operator (`systemCaller`) reaches all of
 * them: the only exception from the rule that every query filters by workspace. All other callers reach only their own.
 *
 * @throws Fault `insufficient_scope` for a caller without a workspace who is not the operator
 */
export function withinReach({ workspaceId, keyId }: Caller): { workspaceId?: string } {
  if (workspaceId !== '') return { workspaceId: uuidOf('workspace', workspaceId) };
  if (keyId === systemCaller.keyId) return {};
  throw new Fault('insufficient_scope', 'The caller has no workspace.');
}
