import { encodeId } from '@roster/contracts';
import type { ApiKey } from '../entities/api-key.entity.js';
import { apiKeyShape } from './api-key.js';

/** What the audit log shows of a key. */
export function auditedKey(key: ApiKey): Record<string, unknown> {
  const { prefix, name, scopes, userId, expiresAt } = apiKeyShape(key);
  return { prefix, name, scopes, userId, expiresAt };
}

/** The entry of the audit log about a key that was revoked. */
export const keyDeleted = (key: ApiKey) => ({
  action: 'api_key.deleted' as const,
  resourceId: encodeId('key', key.id),
  before: auditedKey(key),
});

/** The entry of the audit log. */
export const keyCreated = (key: ApiKey) => ({
  action: 'api_key.created' as const,
  resourceId: encodeId('key', key.id),
  after: auditedKey(key),
});
