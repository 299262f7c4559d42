export { callAs, callAsSystem } from './call-as.js';
export { certificatesFor, certificatesIn, type Certificates } from './certificates.js';
export { checkDatabaseFaults } from './check-database-faults.js';
export { checkLockIsolation } from './check-lock-isolation.js';
export { callerOfFaults, checkFaults } from './check-faults.js';
export { entriesReadAfterImport } from './entries-read-after-import.js';
export { compareRecorded } from './compare-recorded.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { inheritedEnv } from './inherited-env.js';
export { copyNewCluster } from './new-cluster.js';
export { shortOrLong } from './short-or-long.js';
export { schedulesToTry } from './model/schedules-to-try.js';
export { Wire } from './model/wire.js';
export { formerRelease, readFormer } from './former-release.js';
export { requireClosed } from './require-closed.js';
export { sampleBody, sampleContent, sampleInput, sampleQuery } from './sample-input.js';
export { TcpProxy } from './tcp-proxy.js';
export { startOtlpReceiver, type OtlpReceiver, type ReceivedSpan } from './otlp-receiver.js';
export { processStat, type ProcessStat } from './process-stat.js';
export { temporaryDirectory } from './temporary-directory.js';
export {
  throwawayDatabase,
  type DatabaseTemplate,
  type ThrowawayDatabase,
} from './throwaway-database.js';
export { throwawayNats, type ThrowawayNats } from './throwaway-nats.js';
