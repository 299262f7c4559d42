import type { DeletionPhase, WorkspaceStatus } from '@roster/contracts';
import { defineEntity, p, type InferEntity } from '@mikro-orm/core';

/** How far the deletion of a workspace is. Times as ISO 8601. */
export interface WorkspaceDeletion {
  phase: DeletionPhase;
  deleted: number;
  startedAt: string;
  passStartedAt: string;
}

/** The tenant that owns all other resources. */
export const Workspace = defineEntity({
  name: 'Workspace',
  tableName: 'workspaces',
  schema: 'users',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    createdAt: p.datetime(3),
    /** Of the operator. */
    externalId: p.text().collation('C').nullable(),
    status: p.text().$type<WorkspaceStatus>().default('active'),
    /** Whether the webhooks service was told that its deliveries wait. */
    isHeld: p.boolean().default(false),
    /** Maximum number of contacts. */
    quotaContacts: p.bigint('number').nullable(),
    quotaRequestsPerDay: p.bigint('number').nullable(),
    deletion: p.json<WorkspaceDeletion>().nullable(),
  },
  indexes: [
    {
      name: 'workspaces_external_id',
      expression:
        'create unique index workspaces_external_id on users.workspaces (external_id) where external_id is not null',
    },
  ],
});

export type Workspace = InferEntity<typeof Workspace>;
