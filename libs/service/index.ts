export { bootDatabase, bootIdempotency, bootOutbox } from './boot.js';
export type { Log } from './log.js';
export { flatLog, openLog, traceIdOf } from './log.js';
export { databaseConfig, eventStreamConfig, flag, processConfig, readConfig } from './config.js';
export {
  Database,
  openDatabase,
  violatedUnique,
  type Session,
  type Statement,
} from './database.js';
export { each } from './each.js';
export {
  idempotencyTable,
  idempotent,
  purgeIdempotencyKeys,
  type AnswerCipher,
  type SessionHandler,
} from './idempotency.js';
export { observeBus, observeStatements, openMetrics } from './metrics.js';
export { makeEvent, Outbox, outboxTable, type OutboxEvent } from './outbox.js';
export { runProcess, type ProcessContext, type Started } from './process.js';
export { ReleaseStack } from './release.js';
export { inRounds } from './rounds.js';
export { IdClock, timeOfId } from './time-ordered-id.js';
