export type { Log } from './log.js';
export { countByOperation, histogramByOperation } from './operation-metrics.js';
export { flatLog, openLog, type FlatLog } from './log.js';
export {
  commaList,
  environmentError,
  eventStreamConfig,
  flag,
  processConfig,
  publicUrlConfig,
  readConfig,
  serviceNameConfig,
  natsConfig,
  natsSecurity,
} from './config.js';
export {
  mismatchOf,
  namedKeys,
  printPublicKey,
  publicKeyOf,
  publicKeys,
  signingKey,
  isSameDigest,
} from './named-keys.js';
export {
  observeBus,
  observePool,
  observeStatements,
  observeTogether,
  openMetrics,
  type PoolUse,
} from './metrics.js';
export { runProcess, type ProcessContext, type Started, ShutdownStack } from './run-process.js';
export { IdClock } from './time-ordered-id.js';
export { NotYet, waitFor, type Patience } from './wait-for.js';
export { explainListening } from './admin-server.js';
export { ruleOf } from './variable-rule.js';
export { WakeableSleep, WorkLoop } from './work-loop.js';
