import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { DeadAnnouncement } from './dead-announcement.entity.js';
import { Delivery, Event } from './delivery.entity.js';
import { QueuedDelivery } from './queued-delivery.entity.js';
import { Replay } from './replay.entity.js';
import { UsageDay } from './usage-day.entity.js';
import { WebhookHour } from './webhook-hour.entity.js';
import { WebhookRate } from './webhook-rate.entity.js';

/** What this service stores. */
export const entities = [
  Event,
  Delivery,
  QueuedDelivery,
  Replay,
  WebhookHour,
  WebhookRate,
  DeadAnnouncement,
  UsageDay,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
