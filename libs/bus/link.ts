import { connect, Events, type NatsConnection } from 'nats';
import type { BusLog } from './observer.js';

/** The connection to NATS and whether it stands right now. */
export interface Link {
  readonly nats: NatsConnection;
  /** False from the moment the connection breaks until it is back. `publish` would only buffer then: ask first. */
  readonly up: boolean;
  /** Called at every break and at every return of the connection. Returns how to stop listening. */
  onChange(listener: (up: boolean) => void): () => void;
}

export interface LinkOptions {
  /** `nats://host:port`, several separated by commas; user and password may stand in the URL. */
  servers: string;
  /** Shown by NATS' monitoring. */
  name: string;
  log: BusLog;
}

/** Connects, waiting for NATS when it is not there yet, and stays connected for good. */
export async function openLink({ servers, name, log }: LinkOptions): Promise<Link> {
  const urls = servers.split(',').map((server) => new URL(server.trim()));
  const { username, password } = urls[0]!;
  const nats = await connect({
    servers: urls.map((url) => url.host),
    name,
    ...(username ? { user: decodeURIComponent(username), pass: decodeURIComponent(password) } : {}),
    waitOnFirstConnect: true,
    // The client gives up after ten attempts by default, and would then need a restart to come back.
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 100,
    pingInterval: 10_000,
    maxPingOut: 2,
    // It would make two errors, with their stacks, for every request that then succeeds.
    noAsyncTraces: true,
  });
  const listeners = new Set<(up: boolean) => void>();
  let up = true;
  const change = (now: boolean) => {
    if (up === now) return;
    up = now;
    log.warn(
      { server: nats.getServer() },
      now ? 'connected to NATS again' : 'lost the connection to NATS',
    );
    for (const listener of listeners) listener(now);
  };
  void (async () => {
    for await (const status of nats.status()) {
      if (status.type === Events.Disconnect) change(false);
      else if (status.type === Events.Reconnect) change(true);
      else if (status.type === Events.Error)
        log.error({ data: status.data }, 'NATS reported an error');
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
