export type { Log } from './log.js';
export { flatLog, openLog, traceIdOf } from './log.js';
export { databaseConfig, eventStreamConfig, flag, processConfig, readConfig } from './config.js';
export { http } from './node-http.js';
export { observeBus, observeStatements, openMetrics } from './metrics.js';
export { runProcess, type ProcessContext, type Started } from './process.js';
export { ReleaseStack } from './release.js';
export { IdClock, timeOfId } from './time-ordered-id.js';
