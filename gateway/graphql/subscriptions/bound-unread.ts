import type { WebSocket } from 'ws';
import type { Shares } from '../../http/shares.js';
import { subscriptionLimits } from './subscription-limits.js';

export interface UnreadOptions {
  /** Bytes of all clients, by workspace. */
  unread: Shares;
  workspaceOf(): string;
  /** Called once, when unread messages exceed a limit. Nothing is sent afterwards. */
  onExceeded(): void;
}

type Done = (error?: Error) => void;

/** Bounds the messages to a WebSocket that wait in memory until its client reads. Requires `autoPong: false`. */
export function boundUnread(socket: WebSocket, options: UnreadOptions): void {
  const { unread, workspaceOf, onExceeded } = options;
  const send = socket.send.bind(socket) as (data: string, done: Done) => void;
  let exceeded = false;

  const admits = (bytes: number): boolean => {
    if (exceeded) return false;
    if (socket.bufferedAmount + bytes <= subscriptionLimits.webSocketUnreadBytes) return true;
    exceeded = true;
    onExceeded();
    return false;
  };

  socket.send = ((data: string, done: Done) => {
    const bytes = Buffer.byteLength(data);
    const workspaceId = workspaceOf();
    if (!admits(bytes)) return done();
    if (!unread.tryTake(workspaceId, bytes)) {
      exceeded = true;
      onExceeded();
      return done();
    }
    send(data, () => {
      unread.give(workspaceId, bytes);
      // Not an error, which graphql-ws would print: the client has disconnected.
      done();
    });
  }) as WebSocket['send'];
  socket.on('ping', (data: Buffer) => {
    if (admits(data.length)) socket.pong(data);
  });
}
