import type { SchemaMigration } from '@roster/storage';
import { CreateDispatcher } from './2026-11-21-dispatcher.js';
import { AddRepair } from './2026-11-22-repair.js';
import { SetQueueStatistics } from './2026-11-22-queue-statistics.js';
import { IndexReplaysOfWorkspace } from './2026-11-22-replays-of-workspace.js';
import { IndexQueueByDueTime } from './2026-11-23-queue-by-due-time.js';
import { CollectFirstStatistics } from './2026-11-23-first-statistics.js';
import { CreatePartitionFunctions } from './2026-11-23-unprivileged-partitions.js';
import { AddUserOfIdempotencyKey } from './2026-11-22-user-of-idempotency-key.js';
import { AttachPartitions } from './2026-11-25-attach-partitions.js';
import { AddDeliveryBody } from './2026-11-23-delivery-body.js';
import { AddCredentialOfIdempotencyKey } from './2026-11-25-credential-of-idempotency-key.js';
import { CreateWebhookRates } from './2026-11-28-webhook-rates.js';
import { AddDeadDeliveries } from './2026-11-28-dead-deliveries.js';
import { IndexUndeliveredOfWorkspace } from './2026-11-28-undelivered-of-workspace.js';
import { CreateAuditLog } from './2026-11-27-audit-log.js';
import { AddEventTrace } from './2026-11-28-event-trace.js';
import { AddTraceOfOutbox } from './2026-11-28-trace-of-outbox.js';
import { CreateUsageDays } from './2026-11-29-usage.js';

/** In the order in which they are applied. */
export const migrations: readonly SchemaMigration[] = [
  { name: '2026-11-21-dispatcher', class: CreateDispatcher },
  { name: '2026-11-22-repair', class: AddRepair },
  { name: '2026-11-22-user-of-idempotency-key', class: AddUserOfIdempotencyKey },
  { name: '2026-11-22-queue-statistics', class: SetQueueStatistics },
  { name: '2026-11-22-replays-of-workspace', class: IndexReplaysOfWorkspace },
  { name: '2026-11-23-queue-by-due-time', class: IndexQueueByDueTime },
  { name: '2026-11-23-unprivileged-partitions', class: CreatePartitionFunctions },
  { name: '2026-11-23-first-statistics', class: CollectFirstStatistics },
  { name: '2026-11-23-delivery-body', class: AddDeliveryBody },
  { name: '2026-11-25-credential-of-idempotency-key', class: AddCredentialOfIdempotencyKey },
  { name: '2026-11-25-attach-partitions', class: AttachPartitions },
  { name: '2026-11-27-audit-log', class: CreateAuditLog },
  { name: '2026-11-28-undelivered-of-workspace', class: IndexUndeliveredOfWorkspace },
  { name: '2026-11-28-webhook-rates', class: CreateWebhookRates },
  { name: '2026-11-28-dead-deliveries', class: AddDeadDeliveries },
  { name: '2026-11-28-event-trace', class: AddEventTrace },
  { name: '2026-11-28-trace-of-outbox', class: AddTraceOfOutbox },
  { name: '2026-11-29-usage', class: CreateUsageDays },
];
