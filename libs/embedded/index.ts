export type { EmbeddedServer } from './embedded-server.js';
export { freePort } from './free-port.js';
export { isAlive } from './process.js';
export { natsServer, startNats, type NatsOptions, type NatsClusterNode } from './nats.js';
export { startPostgres, type PostgresOptions } from './postgres.js';
export { clusterDirectory } from './postgres-cluster.js';
