import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { SuspendedWorkspace } from './suspended-workspace.entity.js';
import { Webhook } from './webhook.entity.js';

/** The entities of this service. */
export const entities = [
  Webhook,
  SuspendedWorkspace,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
