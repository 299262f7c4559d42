export { callAs, callAsSystem } from './call-as.js';
export { eventually, type EventuallyOptions } from './eventually.js';
export { throwawayDatabase, type ThrowawayDatabase } from './throwaway-database.js';
export { throwawayNats, type ThrowawayNats } from './throwaway-nats.js';
