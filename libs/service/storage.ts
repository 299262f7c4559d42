export { bootDatabase, bootIdempotency, bootOutbox } from './boot.js';
export {
  Database,
  openDatabase,
  violatedUnique,
  type Session,
  type Statement,
} from './database.js';
export { consecutive } from './consecutive.js';
export { each } from './each.js';
export {
  idempotencyTable,
  idempotent,
  purgeIdempotencyKeys,
  type AnswerCipher,
  type SessionHandler,
} from './idempotency.js';
export { makeEvent, Outbox, outboxIndexes, outboxTable, type OutboxEvent } from './outbox.js';
export { inRounds } from './rounds.js';
