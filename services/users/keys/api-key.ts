import { encodeId, type Operations, type OutputOf, type Scope } from '@roster/contracts';
import type { ApiKey } from '../entities/api-key.entity.js';

type Shown = OutputOf<Operations['api-keys.get']>['apiKey'];

/** An API key in the format of the contract, without its secret. */
export const apiKeyShape = (key: ApiKey): Shown => ({
  id: encodeId('key', key.id),
  prefix: key.prefix ?? null,
  name: key.name,
  scopes: key.scopes as Scope[],
  userId: encodeId('user', userOf(key)),
  createdAt: key.createdAt.toISOString(),
  expiresAt: key.expiresAt?.toISOString() ?? null,
  lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
  lastUsedIp: key.lastUsedIp ?? null,
  signInEmail: key.signInEmail ?? null,
});

/** The relation is mapped to the primary key of the user: workspace and ID. */
const userOf = ({ user }: ApiKey): string => (user as unknown as [string, string])[1];

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
