import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** What everything else belongs to. */
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
