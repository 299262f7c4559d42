import { connect, type Socket } from 'node:net';
import type { End, Offender } from './misbehaviour.js';

const reopenMs = 50;

/** Keeps `count` connections open, each of which begins with `use` and is opened again when it ends. */
export function keepSockets(
  { baseUrl }: Pick<Offender, 'baseUrl'>,
  count: number,
  use: (socket: Socket) => void,
): End {
  const { hostname, port } = new URL(baseUrl);
  const open = new Set<Socket>();
  let ended = false;
  const add = () => {
    if (ended) return;
    const socket = connect(Number(port), hostname);
    open.add(socket);
    socket.on('connect', () => use(socket));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      setTimeout(add, reopenMs);
    });
  };
  for (let n = 0; n < count; n += 1) add();
  return async () => {
    ended = true;
    for (const socket of open) socket.destroy();
  };
}

/** The head of a request. */
export const requestHead = (
  { apiKey }: Pick<Offender, 'apiKey'>,
  line: string,
  headers: readonly string[] = [],
): string =>
  [
    `${line} HTTP/1.1`,
    'Host: 127.0.0.1',
    `Authorization: Bearer ${apiKey}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
