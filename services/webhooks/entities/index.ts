import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { Webhook } from './webhook.entity.js';

/** The entities of this service. */
export const entities = [
  Webhook,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
