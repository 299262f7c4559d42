export type { EmbeddedServer } from './embedded-server.js';
export { freePort } from './free-port.js';
export { startNats, type NatsOptions } from './nats.js';
export { startPostgres, type PostgresOptions } from './postgres.js';
