export { ActivityReporter } from './activity-reporter.js';
export { askProcesses, type RunningProcess } from './ask-processes.js';
export { Bus, connectBus, type BusOptions } from './bus.js';
export type { CallContext } from './calls/batching/pending-call.js';
export { RecentWorkspaces } from './recent-workspaces.js';
export { workShare } from './recent-workspaces.js';
export { consumeEvents, EventConsumer } from './events/consume.js';
export { Deferred, Unusable, type ConsumedMessage } from './events/consumed-message.js';
export { republishedHeader, type EventMessage } from './events/event-message.js';
export type { StreamStatus } from './events/durable-consumer.js';
export type { FollowedEvent } from './events/follower.js';
export type { PlacedMessage, StoredEvent } from './events/stream-reader.js';
export { EventEraser, type ErasableMessage } from './events/event-eraser.js';
export { Json, type Answer, type AnswerTo, type Call } from './calls/frame/call.js';
export { FailureLog } from './failure-log.js';
export type { Link } from './link.js';
export type { NatsCredentials } from './connection/credentials.js';
export { isUserSeed } from './permissions/nkey.js';
export { isAmbiguous, parseServers } from './connection/server-list.js';
export { permissionsOf, type Permissions } from './permissions/permissions-of.js';
export {
  isPublicKey,
  makeKeyPair,
  printServerUsers,
  publicKeyOf,
  serverUsers,
  type KeyPair,
  type PublicKeys,
  type ServerUser,
} from './permissions/server-users.js';
export type { BusLog, BusObserver } from './observer.js';
export {
  type EventPublisher,
  type StoredMessage,
  type StreamOptions,
  type StreamTail,
} from './events/publish.js';
export { unavailable } from './calls/frame/faults.js';
export type { Handler, HandlerTable, PartsOf } from './calls/server/handler.js';
export { isLate, type ServeOptions } from './calls/server/lanes.js';
export { handleBatch } from './calls/server/handle-batch.js';
export { Contended } from './calls/frame/faults.js';
export {
  faultOf,
  inParts,
  isolateCalls,
  isolateFailures,
  OutcomeUnknown,
} from './calls/server/isolate-failures.js';
export { currentLockWait, withLockWait, LockWait } from './calls/server/lock-wait.js';
export { CallerSigner } from './proof/caller-signer.js';
export { CallerVerifier } from './proof/caller-verifier.js';
export { signStatement, type NamedKey } from './proof/statement.js';
export { steadyNow } from './wire.js';
export { SlotTable } from './slot-table.js';
export { NatsTrouble, streamTrouble } from './trouble.js';
export { formatTraces, parseTraces, type EventTrace } from './events/event-traces.js';
export { messagingAttributes } from './calls/frame/call-spans.js';
