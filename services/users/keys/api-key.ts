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
});

/** The relation is mapped to the primary key of the user: workspace and ID. */
const userOf = ({ user }: ApiKey): string => (user as unknown as [string, string])[1];
