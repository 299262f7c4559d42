import {
  auditDayEntity,
  auditEntryEntity,
  idempotencyKeyEntity,
  outboxCheckpointEntity,
  outboxEventEntity,
} from '@roster/storage';
import { schema } from '../service.js';
import { ApiKey } from './api-key.entity.js';
import { ExportLink } from './export-link.entity.js';
import { Origin } from './origin.entity.js';
import { ConsoleSession, SessionLink } from './session.entity.js';
import { UsageDay, UsageReport } from './usage.entity.js';
import { User } from './user.entity.js';
import { Workspace } from './workspace.entity.js';

/** The entities of this service. */
export const entities = [
  Workspace,
  User,
  ApiKey,
  Origin,
  ConsoleSession,
  SessionLink,
  ExportLink,
  UsageDay,
  UsageReport,
  outboxEventEntity(schema),
  outboxCheckpointEntity(schema),
  auditEntryEntity(schema),
  auditDayEntity(schema),
  idempotencyKeyEntity(schema),
];
