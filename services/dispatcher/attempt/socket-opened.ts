import type { Socket } from 'node:net';

/** Resolves at the event. Rejects with the error of the socket, or with the reason of the signal, which destroys the socket. */
export function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = (error?: unknown) => {
      socket.off('error', done).off(event, done);
      signal.removeEventListener('abort', abort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const abort = () => {
      socket.destroy();
      done(signal.reason);
    };
    socket.once(event, () => (signal.aborted ? abort() : done())).once('error', done);
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
}
