import { connect, Events, type NatsConnection, type Status } from 'nats';
import type { BusLog } from './observer.js';
import { connectTrouble } from './trouble.js';

/** The connection to NATS and its current state. */
export interface Link {
  readonly nats: NatsConnection;
  /** False from a disconnect until the reconnect. `publish` of the client would buffer meanwhile: check this first. */
  readonly up: boolean;
  /** Calls the listener at every disconnect and reconnect. Returns a function that removes it. */
  onChange(listener: (up: boolean) => void): () => void;
}

/** Time limit to connect to one server. */
const connectMs = 5000;
const logAgainMs = 60_000;

export interface LinkOptions {
  /** `nats://host:port` or `tls://host:port`, several separated by commas. The first may contain a user name and a password. */
  servers: string;
  /** Shown by the monitoring of NATS. */
  name: string;
  log: BusLog;
}

/**
 * Connects to any of the servers, and reconnects forever: after restarts, and after temporarily rejected credentials.
 *
 * @throws NatsTrouble if no server accepts the connection
 */
export async function openLink({ servers, name, log }: LinkOptions): Promise<Link> {
  const urls = servers.split(',').map((server) => new URL(server.trim()));
  const hosts = urls.map(({ host }) => host);
  const { username, password } = urls[0]!;
  const nats = await connect({
    servers: hosts,
    name,
    ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
    ...(urls.some(({ protocol }) => protocol === 'tls:') ? { tls: {} } : {}),
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
  }).catch((error: unknown) => {
    throw connectTrouble(hosts, error);
  });
  const listeners = new Set<(up: boolean) => void>();
  let up = true;
  const change = (now: boolean) => {
    if (up === now) return;
    up = now;
    log.warn({ server: nats.getServer() }, now ? 'reconnected to NATS' : 'disconnected from NATS');
    for (const listener of listeners) listener(now);
  };
  // During reconnection the same error may occur several times per second: each is logged at most once a minute.
  const loggedAt = new Map<string, number>();
  const report = (data: unknown, denied: Status['permissionContext']) => {
    const reason = String(data);
    const now = performance.now();
    if (!up && now - (loggedAt.get(reason) ?? -Infinity) < logAgainMs) return;
    loggedAt.set(reason, now);
    log.error({ data, ...(denied && { denied }) }, 'NATS reported an error');
  };
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect) change(false);
      else if (status.type === Events.Reconnect) change(true);
      else if (status.type === Events.Error) report(status.data, status.permissionContext);
    }
    change(false);
  })();
  return {
    nats,
    get up() {
      return up && !nats.isClosed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
