import { defineEntity, p, type InferEntity } from '@mikro-orm/core';
import { Workspace } from './workspace.entity.js';

/** A member of a workspace. */
export const User = defineEntity({
  name: 'User',
  tableName: 'users',
  schema: 'users',
  properties: {
    workspaceId: p
      .manyToOne(Workspace)
      .mapToPk()
      .primary()
      .fieldName('workspace_id')
      .foreignKeyName('users_workspace_id_fkey')
      .updateRule('no action'),
    id: p.uuid().primary(),
    email: p.text(),
    /** `emailKey` of the email. */
    emailKey: p.text().collation('C'),
    name: p.text(),
    createdAt: p.datetime(3),
    lastAccessedAt: p.datetime(3),
  },
  uniques: [
    { name: 'users_email', properties: ['workspaceId', 'emailKey'] },
    // Operators specify users and keys by ID only.
    { name: 'users_id', properties: 'id' },
  ],
});

export type User = InferEntity<typeof User>;
