import { auditDayEntity, auditEntryEntity, idempotencyKeyEntity } from '@roster/service/storage';
import { schema } from '../service.js';
import { Webhook } from './webhook.entity.js';

/** The entities of this service. */
export const entities = [
  Webhook,
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
