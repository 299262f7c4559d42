import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { ExecutionContext } from 'ava';

export interface FakeServer {
  /** `host:port` */
  host: string;
  /** Everything that clients have sent. */
  received(): string;
  /** Number of connections so far. */
  connections(): number;
  /** Sends a text to all clients. */
  send(text: string): void;
  /** Disconnects all clients. */
  disconnect(): void;
}

/**
 * A server that greets like NATS without TLS, accepts every client, and records what it receives.
 *
 * @param greeting further fields of its greeting
 * @param afterGreeting text sent at once after it
 */
export async function fakeServer(
  t: ExecutionContext,
  greeting: object = {},
  afterGreeting = '',
): Promise<FakeServer> {
  const sockets = new Set<Socket>();
  let received = '';
  let connections = 0;
  const info = {
    ...{ server_id: 'fake', version: '2.12.0', proto: 1, max_payload: 1_048_576, headers: true },
    ...{ auth_required: true, nonce: 'abcdefghijk', ...greeting },
  };
  const server = createServer((socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('data', (data) => {
      received += data.toString();
      if (data.includes('PING')) socket.write('PONG\r\n');
    });
    socket.on('error', () => {});
    socket.write(`INFO ${JSON.stringify(info)}\r\n${afterGreeting}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    received: () => received,
    connections: () => connections,
    send(text) {
      for (const socket of sockets) socket.write(text);
    },
    disconnect() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
