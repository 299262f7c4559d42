import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** The tenant that owns all other resources. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  schema: 'users',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(3),
  },
});

export type Workspace = InferEntity<typeof Workspace>;
