import type { IncomingMessage } from 'node:http';

/** The client closed the connection before its request was complete, or while it was queued. */
export class ClientGone extends Error {}

/**
 * Whether the client closed the connection, or its direction of it: that looks the same until something is written. A client that
 * closes its direction and reads on is answered, unless its request had to wait.
 */
export const isGone = ({ socket }: IncomingMessage): boolean =>
  socket.destroyed || socket.readableEnded;
