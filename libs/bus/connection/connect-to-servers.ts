import type { NatsConnection } from 'nats';
import { inboxesOf } from '../permissions/inboxes.js';
import { authenticatorFor, type NatsCredentials } from './credentials.js';
import { addressOf, isAlike, type NatsServer } from './server-list.js';
import { connectWith, type SelectServer, type TlsFiles } from './client-internals.js';

export interface ConnectOptions {
  name: string;
  credentials?: NatsCredentials;
  tls?: TlsFiles;
}

/** Time limit to connect to one server. */
const connectMs = 5000;

/** Connects to any of the servers, and reconnects forever: after restarts, and after temporarily rejected credentials. */
export function connectToServers(
  servers: readonly NatsServer[],
  { name, credentials = {}, tls = {} }: ConnectOptions,
): Promise<NatsConnection> {
  const isUniform = servers.every((server) => isAlike(server, servers[0]!));
  const select: SelectServer = (address) => {
    const listed = servers.find((server) => addressOf(server) === addressOf(address));
    // A server that the cluster announced. It receives credentials only if all servers of the list have the same.
    const server = listed ?? (isUniform ? servers[0] : undefined);
    return (
      server && {
        tls: server.isSecure ? tls : undefined,
        auth: authenticatorFor(server, credentials),
      }
    );
  };
  const options = {
    servers: servers.map(addressOf),
    name,
    inboxPrefix: inboxesOf(name),
    ignoreClusterUpdates: !isUniform,
    timeout: connectMs,
    // By default the client gives up after ten attempts.
    maxReconnectAttempts: -1,
    // By default it also gives up after the credentials were rejected twice. They may be corrected meanwhile.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // It would create two errors with stack traces for every successful request.
    noAsyncTraces: true,
  };
  return connectWith(options, select);
}
