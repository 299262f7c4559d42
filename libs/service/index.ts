export type { Log } from './log.js';
export { flatLog, openLog, traceIdOf } from './log.js';
export {
  commaList,
  databaseConfig,
  environmentError,
  eventStreamConfig,
  flag,
  processConfig,
  readConfig,
  serviceNameConfig,
} from './config.js';
export { natsConfig, natsSecurity } from './nats-config.js';
export {
  mismatchOf,
  namedKeys,
  printPublicKey,
  publicKeyOf,
  publicKeys,
  signingKey,
} from './named-keys.js';
export { observeBus, observeStatements, observeTogether, openMetrics } from './metrics.js';
export { runProcess, type ProcessContext, type Started } from './process/run-process.js';
export { ReleaseStack } from './process/release.js';
export { isSameDigest } from './is-same-digest.js';
export { IdClock, timeOfId } from './time-ordered-id.js';
export { NotYet, waitFor, type Patience } from './process/wait-for.js';
export { explainListening } from './process/listening.js';
export { WakeableSleep } from './wakeable-sleep.js';
export { WorkLoop } from './work-loop.js';
