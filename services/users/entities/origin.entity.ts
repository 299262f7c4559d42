import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Workspace } from './workspace.entity.js';

/** An origin whose web pages may use the keys and tokens of a workspace. */
export const Origin = defineEntity({
  name: 'Origin',
  tableName: 'origins',
  schema: 'users',
  properties: {
    workspaceId: p
      .manyToOne(Workspace)
      .mapToPk()
      .primary()
      .fieldName('workspace_id')
      .foreignKeyName('origins_workspace_id_fkey')
      .updateRule('no action'),
    origin: p.text().collation('C').primary(),
  },
  // A preflight is looked up without a workspace.
  indexes: [{ name: 'origins_origin', properties: 'origin' }],
});

export type Origin = InferEntity<typeof Origin>;
