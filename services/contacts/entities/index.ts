import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { ContactProperty } from './contact-property.entity.js';
import { Contact } from './contact.entity.js';
import { Counter } from './counter.entity.js';
import { UnsubscribeKey } from './unsubscribe-key.entity.js';
import { Settings } from './settings.entity.js';
import { ImportChunk } from './import-chunk.entity.js';
import { ImportError } from './import-error.entity.js';
import { Import } from './import.entity.js';
import { Watermark } from './watermark.entity.js';

/** The entities of this service. */
export const entities = [
  Contact,
  ContactProperty,
  Counter,
  Watermark,
  Settings,
  UnsubscribeKey,
  Import,
  ImportChunk,
  ImportError,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
