export { callAs, callAsSystem } from './call-as.js';
export { checkDatabaseFaults } from './check-database-faults.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { formerCommit } from './former-commit.js';
export { sampleBody, sampleInput } from './sample-input.js';
export { compareSchema, type MigratedSchema } from './schema/compare-schema.js';
export { processStat, type ProcessStat } from './process-stat.js';
export { throwawayDatabase, type ThrowawayDatabase } from './throwaway-database.js';
export { throwawayNats, type ThrowawayNats } from './throwaway-nats.js';
