import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { ContactProperty, TypedWorkspace } from './contact-property.entity.js';
import { ContactAction } from './contact-action.entity.js';
import { Address, Contact, Counter, TagCounter, Watermark } from './contact.entity.js';
import { Erasure } from './erasure.entity.js';
import { Import, ImportChunk, ImportError } from './import.entity.js';
import { Suppression, SuppressionKey } from './suppression.entity.js';
import { UsageDay } from './usage-day.entity.js';
import { Settings, UnsubscribeKey } from './workspace.entity.js';

/** The entities of this service. */
export const entities = [
  Contact,
  Address,
  ContactProperty,
  TypedWorkspace,
  Counter,
  TagCounter,
  Watermark,
  Settings,
  UnsubscribeKey,
  Suppression,
  SuppressionKey,
  Import,
  ImportChunk,
  ImportError,
  ContactAction,
  Erasure,
  UsageDay,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
