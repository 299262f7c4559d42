import { auditDayEntity, auditEntryEntity, idempotencyKeyEntity } from '@roster/storage';
import { schema } from '../service.js';
import { Webhook } from './webhook.entity.js';

/** The entities of this service. */
export const entities = [
  Webhook,
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
