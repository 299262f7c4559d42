import { Gauge, type Registry } from 'prom-client';
import type { WebSocket } from 'ws';
import { Shares } from '../../http/shares.js';
import { subscriptionLimits, workspaceShare } from './subscription-limits.js';

/** The memory for events and messages that clients have not read, by workspace. */
export function unreadBytes(metrics: Registry): Shares {
  const max = subscriptionLimits.unreadBytes;
  const unread = new Shares(max, workspaceShare(max));
  new Gauge({
    name: 'roster_graphql_unread_bytes',
    help: 'Memory of events and messages that clients of subscriptions have not read yet.',
    registers: [metrics],
    collect() {
      this.set(unread.total);
    },
  });
  return unread;
}

interface BoundedOptions {
  /** Bytes of all clients, by workspace. */
  unread: Shares;
  workspaceOf(): string;
  /** Called once, when unread messages exceed a limit. Nothing is sent afterwards. */
  onExceeded(): void;
}

/** Memory of a frame that waits, besides its bytes: a pong can have two of them. */
const frameBytes = 512;

/** Sends messages to a WebSocket, and bounds those that wait in memory until its client reads. Requires `autoPong: false`. */
export function boundedSender(
  socket: WebSocket,
  { unread, workspaceOf, onExceeded }: BoundedOptions,
): (data: string) => Promise<void> {
  let exceeded = false;
  let pongs = 0;
  const admits = (bytes: number, take: () => boolean): boolean => {
    if (exceeded) return false;
    const unreadBytes = socket.bufferedAmount + pongs * frameBytes + bytes;
    const isWithin = unreadBytes <= subscriptionLimits.webSocketUnreadBytes;
    if (isWithin && take()) return true;
    exceeded = true;
    onExceeded();
    return false;
  };
  socket.on('ping', (data: Buffer) => {
    if (!admits(data.length, () => true)) return;
    pongs += 1;
    socket.pong(data, undefined, () => (pongs -= 1));
  });
  return (data) =>
    new Promise((done) => {
      const bytes = Buffer.byteLength(data);
      const workspaceId = workspaceOf();
      if (socket.readyState !== socket.OPEN) return done();
      if (!admits(bytes, () => unread.tryTake(workspaceId, bytes))) return done();
      // An error is that of a client that has disconnected.
      socket.send(data, () => {
        unread.give(workspaceId, bytes);
        done();
      });
    });
}
