import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What lets a program act as a user. The key itself is not stored. */
export const ApiKey = defineEntity({
  name: 'ApiKey',
  tableName: 'api_keys',
  schema: 'users',
  properties: {
    workspaceId: p.uuid().primary(),
    id: p.uuid().primary(),
    userId: p.uuid(),
    sha256: p.blob(),
    scopes: p.array(),
    createdAt: p.datetime(),
    expiresAt: p.datetime().nullable(),
    revokedAt: p.datetime().nullable(),
  },
});

export type ApiKey = InferEntity<typeof ApiKey>;
