export { parseDatabaseUrl } from './database/address.js';
export { databaseConfig } from './config.js';
export { bootAuditLog, bootDatabase, bootIdempotency, bootOutbox } from './boot.js';
export {
  Database,
  openDatabase,
  violatedForeignKey,
  violatedUnique,
  type Session,
  type Statement,
} from './database.js';
export { deleteWorkspaceRows } from './delete-workspace.js';
export { deleteInPortions, startRetention } from './retention.js';
export { auditDayEntity, auditEntryEntity } from './audit/entities.js';
export { AuditLog, mergePages, type AuditedCall, type AuditedChange } from './audit/audit-log.js';
export { coalesceBatches } from './batches/coalesce-batches.js';
export { conditional, requireMatch, type ConditionedResources } from './batches/conditional.js';
export { each } from './batches/each.js';
export { partsApart } from './batches/parts-apart.js';
export { separately } from './batches/separately.js';
export { onPool, type SessionHandler } from './batches/session-handler.js';
export { noCipher, type AnswerCipher, type StoredCall } from './idempotency/answer-cipher.js';
export { idempotent, type Repeat } from './idempotency/idempotent.js';
export { idempotentBatch } from './idempotency/idempotent-batch.js';
export { keyInUse } from './idempotency/keys-in-use.js';
export { lockKey } from './idempotency/statements.js';
export {
  keyStoredMeanwhile,
  purgeIdempotencyKeys,
  type RecordedCall,
} from './idempotency/remembered-answers.js';
export { lines, linesOf, uuids } from './database/columns.js';
export {
  groupedRows,
  makeEvent,
  rowsOf,
  storedTrace,
  tracedBy,
  tracesOf,
  type OutboxRow,
} from './outbox/event.js';
export { Outbox } from './outbox/outbox.js';
export { verifyOutbox } from './outbox/verify-outbox.js';
export { idempotencyKeyEntity } from './idempotency/idempotency-key.entity.js';
export { outboxEventEntity, outboxCheckpointEntity } from './outbox/entities.js';
export { Pauses } from './batches/pauses.js';
export { inRounds, type Rounds } from './batches/in-rounds.js';
export type { SchemaMigration } from './database/schema.js';
export { migrationScript, sqlOf } from './database/migration-script.js';
