import type { SchemaMigration } from '@roster/storage';
import { AddWebhookHealth } from './2026-11-21-webhook-health.js';
import { CreateWebhooks } from './2026-11-21-webhooks.js';
import { AddUserOfIdempotencyKey } from './2026-11-22-user-of-idempotency-key.js';
import { AddPositionsOfTimes } from './2026-11-23-positions-of-times.js';
import { AddSubscriptionTimes } from './2026-11-23-subscription-times.js';
import { CreateAuditDays } from './2026-11-23-audit-days.js';
import { CreateAuditLog } from './2026-11-23-audit-log.js';
import { AddWebhookPayload } from './2026-11-23-webhook-payload.js';
import { AddCredentialOfIdempotencyKey } from './2026-11-25-credential-of-idempotency-key.js';
import { AddWebhookDescription } from './2026-11-28-webhook-description.js';
import { AddWebhookHeaders } from './2026-11-28-webhook-headers.js';
import { AddWebhookRate } from './2026-11-28-webhook-rate.js';
import { AddWebhookEvents } from './2026-11-28-webhook-events.js';
import { AddWebhookTraceContext } from './2026-11-28-webhook-trace-context.js';
import { AddWebhookFilter } from './2026-11-28-webhook-filter.js';
import { AddFilterTime } from './2026-11-28-webhook-filter-time.js';
import { CreateSuspendedWorkspaces } from './2026-11-28-suspended-workspaces.js';
import { AddTraceOfOutbox } from './2026-11-28-trace-of-outbox.js';

/** In the order in which they are applied. */
export const migrations: readonly SchemaMigration[] = [
  { name: '2026-11-21-webhooks', class: CreateWebhooks },
  { name: '2026-11-21-webhook-health', class: AddWebhookHealth },
  { name: '2026-11-22-user-of-idempotency-key', class: AddUserOfIdempotencyKey },
  { name: '2026-11-23-subscription-times', class: AddSubscriptionTimes },
  { name: '2026-11-23-positions-of-times', class: AddPositionsOfTimes },
  { name: '2026-11-23-audit-log', class: CreateAuditLog },
  { name: '2026-11-23-webhook-payload', class: AddWebhookPayload },
  { name: '2026-11-23-audit-days', class: CreateAuditDays },
  { name: '2026-11-25-credential-of-idempotency-key', class: AddCredentialOfIdempotencyKey },
  { name: '2026-11-28-webhook-description', class: AddWebhookDescription },
  { name: '2026-11-28-webhook-headers', class: AddWebhookHeaders },
  { name: '2026-11-28-webhook-rate', class: AddWebhookRate },
  { name: '2026-11-28-webhook-filter', class: AddWebhookFilter },
  { name: '2026-11-28-webhook-events', class: AddWebhookEvents },
  { name: '2026-11-28-webhook-trace-context', class: AddWebhookTraceContext },
  { name: '2026-11-28-webhook-filter-time', class: AddFilterTime },
  { name: '2026-11-28-suspended-workspaces', class: CreateSuspendedWorkspaces },
  { name: '2026-11-28-trace-of-outbox', class: AddTraceOfOutbox },
];
