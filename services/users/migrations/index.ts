import type { SchemaMigration } from '@roster/storage';
import { CreateUsers } from './2026-11-21-users.js';
import { CreateOutboxCheckpoint } from './2026-11-22-outbox-checkpoint.js';
import { IndexOutbox } from './2026-11-22-outbox-indexes.js';
import { AddUserOfIdempotencyKey } from './2026-11-22-user-of-idempotency-key.js';
import { DescribeApiKeys } from './2026-11-23-describe-api-keys.js';
import { IndexPreviousSecrets } from './2026-11-23-index-previous-secrets.js';
import { CreateAuditDays } from './2026-11-23-audit-days.js';
import { CreateAuditLog } from './2026-11-23-audit-log.js';
import { CreateOrigins } from './2026-11-23-origins.js';
import { IndexOutboxByWorkspace } from './2026-11-23-outbox-by-workspace.js';
import { AddEventDetails } from './2026-11-23-event-details.js';
import { DropOutboxIndex } from './2026-11-25-drop-outbox-index.js';
import { AddCredentialOfIdempotencyKey } from './2026-11-25-credential-of-idempotency-key.js';
import { RewriteEmailKeys } from './2026-11-27-email-keys.js';
import { AddEventBatches } from './2026-11-27-event-batches.js';
import { CreateSessions } from './2026-11-28-sessions.js';
import { AddExpiringKeys } from './2026-11-28-expiring-keys.js';
import { CreateExportLinks } from './2026-11-28-export-links.js';
import { AddSignIns, IndexSignIns } from './2026-11-28-sign-ins.js';
import { AddTraceOfOutbox } from './2026-11-28-trace-of-outbox.js';
import {
  AddHeldWorkspaces,
  AddWorkspaceStatus,
  IndexExternalIds,
} from './2026-11-28-workspace-status.js';
import { AddWorkspaceDeletions } from './2026-11-28-workspace-deletions.js';
import { AddQuotas, CreateUsage } from './2026-11-29-usage.js';

/** In the order in which they are applied. */
export const migrations: readonly SchemaMigration[] = [
  { name: '2026-11-21-users', class: CreateUsers },
  { name: '2026-11-22-outbox-indexes', class: IndexOutbox },
  { name: '2026-11-22-user-of-idempotency-key', class: AddUserOfIdempotencyKey },
  { name: '2026-11-22-outbox-checkpoint', class: CreateOutboxCheckpoint },
  { name: '2026-11-23-describe-api-keys', class: DescribeApiKeys },
  { name: '2026-11-23-index-previous-secrets', class: IndexPreviousSecrets },
  { name: '2026-11-23-audit-log', class: CreateAuditLog },
  { name: '2026-11-23-origins', class: CreateOrigins },
  { name: '2026-11-23-outbox-by-workspace', class: IndexOutboxByWorkspace },
  { name: '2026-11-23-event-details', class: AddEventDetails },
  { name: '2026-11-23-audit-days', class: CreateAuditDays },
  {
    name: '2026-11-25-drop-outbox-index',
    class: DropOutboxIndex,
    requires: '2026-11-23-outbox-by-workspace',
  },
  { name: '2026-11-25-credential-of-idempotency-key', class: AddCredentialOfIdempotencyKey },
  { name: '2026-11-27-event-batches', class: AddEventBatches },
  { name: '2026-11-27-email-keys', class: RewriteEmailKeys },
  { name: '2026-11-28-sessions', class: CreateSessions },
  { name: '2026-11-28-sign-ins', class: AddSignIns },
  { name: '2026-11-28-sign-in-indexes', class: IndexSignIns },
  { name: '2026-11-28-export-links', class: CreateExportLinks },
  { name: '2026-11-28-expiring-keys', class: AddExpiringKeys },
  { name: '2026-11-28-workspace-status', class: AddWorkspaceStatus },
  { name: '2026-11-28-workspace-external-ids', class: IndexExternalIds },
  { name: '2026-11-28-held-workspaces', class: AddHeldWorkspaces },
  { name: '2026-11-28-trace-of-outbox', class: AddTraceOfOutbox },
  { name: '2026-11-28-workspace-deletions', class: AddWorkspaceDeletions },
  { name: '2026-11-29-usage', class: CreateUsage },
  { name: '2026-11-29-quotas', class: AddQuotas },
];
