import { connect, Events, type NatsConnection, type Status } from 'nats';
import type { BusLog } from './observer.js';
import { connectTrouble } from './trouble.js';

/** The connection to NATS and whether it stands right now. */
export interface Link {
  readonly nats: NatsConnection;
  /** False from the moment the connection breaks until it is back. `publish` would only buffer then: ask first. */
  readonly up: boolean;
  /** Called at every break and at every return of the connection. Returns how to stop listening. */
  onChange(listener: (up: boolean) => void): () => void;
}

/** How long one server may take to let us in. */
const connectMs = 5000;
const sayAgainMs = 60_000;

export interface LinkOptions {
  /** `nats://host:port`, or `tls:`, several separated by commas; user and password may stand in the first. */
  servers: string;
  /** Shown by NATS' monitoring. */
  name: string;
  log: BusLog;
}

/**
 * Connects to any of the servers, and stays connected for good: through restarts, and through credentials that are refused for
 * a while.
 *
 * @throws NatsTrouble when no server lets it in
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
    // The client gives up after ten attempts by default, and would then need a restart to come back.
    maxReconnectAttempts: -1,
    // And after two refusals of its credentials, which may be put right while it goes on trying.
    ignoreAuthErrorAbort: true,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // It would make two errors, with their stacks, for every request that then succeeds.
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
  // Refused several times a second while it tries to come back: each reason is said once, and again after a minute.
  const saidAt = new Map<string, number>();
  const report = (data: unknown, denied: Status['permissionContext']) => {
    const reason = String(data);
    const now = performance.now();
    if (!up && now - (saidAt.get(reason) ?? -Infinity) < sayAgainMs) return;
    saidAt.set(reason, now);
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
