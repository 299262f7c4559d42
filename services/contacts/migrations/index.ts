import { AddTypesOfProperties } from './2026-11-28-typed-properties.js';
import type { SchemaMigration } from '@roster/storage';
import { AddChangesOfContacts } from './2026-11-28-changes-of-contacts.js';
import { AddExternalIds } from './2026-11-28-external-ids.js';
import { CreateContacts } from './2026-11-21-contacts.js';
import { CreateOutboxCheckpoint } from './2026-11-22-outbox-checkpoint.js';
import { IndexOutbox } from './2026-11-22-outbox-indexes.js';
import { EstimateWorkspaces } from './2026-11-22-workspace-statistics.js';
import { AddUserOfIdempotencyKey } from './2026-11-22-user-of-idempotency-key.js';
import { CreateContactSearch } from './2026-11-23-contact-search.js';
import { IndexOutboxByWorkspace } from './2026-11-23-outbox-by-workspace.js';
import { AddEventDetails } from './2026-11-23-event-details.js';
import { CreateUnsubscribeKeys } from './2026-11-23-unsubscribe-keys.js';
import { CreateAuditLog } from './2026-11-23-audit-log.js';
import { CreateSettings } from './2026-11-23-settings.js';
import { CreateImports } from './2026-11-23-imports.js';
import { AddImportEvents } from './2026-11-24-import-events.js';
import { DropOutboxIndex } from './2026-11-25-drop-outbox-index.js';
import { AddCredentialOfIdempotencyKey } from './2026-11-25-credential-of-idempotency-key.js';
import { AddWrittenAtOfImport } from './2026-11-25-written-at-of-import.js';
import { DropCreatedAtIndex } from './2026-11-27-drop-created-at-index.js';
import { CreateOwnSearch } from './2026-11-27-own-search.js';
import { RewriteEmailKeys } from './2026-11-27-email-keys.js';
import { AddEventBatches } from './2026-11-27-event-batches.js';
import { AddTextsOfImportErrors } from './2026-11-27-texts-of-import-errors.js';
import { IndexUnsubscribedContacts } from './2026-11-27-unsubscribed-contacts.js';
import { CreateContactActions } from './2026-11-28-contact-actions.js';
import { CreateErasures } from './2026-11-28-erasures.js';
import { AddFileNameOfImport } from './2026-11-28-file-name-of-import.js';
import { AddOrderOfNames } from './2026-11-28-names-of-contacts.js';
import { AddNoticesOfImport } from './2026-11-28-notices-of-import.js';
import { AddResubscribeOfImport } from './2026-11-28-resubscribe-of-import.js';
import { CreateSuppressions, SuppressUnsubscribed } from './2026-11-28-suppressions.js';
import { CountTags } from './2026-11-28-tag-counters.js';
import { AddTraceOfOutbox } from './2026-11-28-trace-of-outbox.js';
import { AddTraceOfJobs } from './2026-11-29-trace-of-jobs.js';
import { AddTypesOfActionFilters } from './2026-11-28-types-of-action-filters.js';
import { CreateUsageDays } from './2026-11-29-usage.js';

/** In the order in which they are applied. */
export const migrations: readonly SchemaMigration[] = [
  { name: '2026-11-21-contacts', class: CreateContacts },
  { name: '2026-11-22-outbox-indexes', class: IndexOutbox },
  { name: '2026-11-22-workspace-statistics', class: EstimateWorkspaces },
  { name: '2026-11-22-user-of-idempotency-key', class: AddUserOfIdempotencyKey },
  { name: '2026-11-22-outbox-checkpoint', class: CreateOutboxCheckpoint },
  { name: '2026-11-23-outbox-by-workspace', class: IndexOutboxByWorkspace },
  { name: '2026-11-23-contact-search', class: CreateContactSearch },
  { name: '2026-11-23-event-details', class: AddEventDetails },
  { name: '2026-11-23-unsubscribe-keys', class: CreateUnsubscribeKeys },
  { name: '2026-11-23-audit-log', class: CreateAuditLog },
  { name: '2026-11-23-settings', class: CreateSettings },
  { name: '2026-11-23-imports', class: CreateImports },
  { name: '2026-11-24-import-events', class: AddImportEvents },
  {
    name: '2026-11-25-drop-outbox-index',
    class: DropOutboxIndex,
    requires: '2026-11-23-outbox-by-workspace',
  },
  { name: '2026-11-25-credential-of-idempotency-key', class: AddCredentialOfIdempotencyKey },
  { name: '2026-11-25-written-at-of-import', class: AddWrittenAtOfImport },
  { name: '2026-11-27-event-batches', class: AddEventBatches },
  {
    name: '2026-11-27-unsubscribed-contacts',
    class: IndexUnsubscribedContacts,
    requires: '2026-11-23-contact-search',
  },
  {
    name: '2026-11-27-drop-created-at-index',
    class: DropCreatedAtIndex,
    requires: '2026-11-23-contact-search',
  },
  { name: '2026-11-27-email-keys', class: RewriteEmailKeys },
  {
    name: '2026-11-27-own-search',
    class: CreateOwnSearch,
    requires: '2026-11-23-contact-search',
  },
  { name: '2026-11-27-texts-of-import-errors', class: AddTextsOfImportErrors },
  { name: '2026-11-28-file-name-of-import', class: AddFileNameOfImport },
  {
    name: '2026-11-28-changes-of-contacts',
    class: AddChangesOfContacts,
    requires: '2026-11-23-contact-search',
  },
  { name: '2026-11-28-notices-of-import', class: AddNoticesOfImport },
  {
    name: '2026-11-28-suppressions',
    class: CreateSuppressions,
    requires: '2026-11-23-contact-search',
  },
  {
    name: '2026-11-28-suppressions-of-contacts',
    class: SuppressUnsubscribed,
    requires: '2026-11-23-contact-search',
  },
  { name: '2026-11-28-resubscribe-of-import', class: AddResubscribeOfImport },
  { name: '2026-11-28-tag-counters', class: CountTags, requires: '2026-11-23-contact-search' },
  { name: '2026-11-28-external-ids', class: AddExternalIds },
  { name: '2026-11-28-contact-actions', class: CreateContactActions },
  {
    name: '2026-11-28-typed-properties',
    class: AddTypesOfProperties,
    requires: '2026-11-23-contact-search',
  },
  { name: '2026-11-28-names-of-contacts', class: AddOrderOfNames },
  { name: '2026-11-28-types-of-action-filters', class: AddTypesOfActionFilters },
  { name: '2026-11-28-erasures', class: CreateErasures },
  { name: '2026-11-28-trace-of-outbox', class: AddTraceOfOutbox },
  { name: '2026-11-29-usage', class: CreateUsageDays },
  { name: '2026-11-29-trace-of-jobs', class: AddTraceOfJobs },
];
