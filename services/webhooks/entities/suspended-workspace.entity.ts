import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** A workspace whose deliveries wait, because the operator has suspended it. */
export const SuspendedWorkspace = defineEntity({
  name: 'SuspendedWorkspace',
  tableName: 'suspended_workspaces',
  schema: 'webhooks',
  properties: {
    workspaceId: p.uuid().primary(),
  },
});

export type SuspendedWorkspace = InferEntity<typeof SuspendedWorkspace>;
