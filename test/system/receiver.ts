import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A received webhook request. */
export interface Received {
  headers: IncomingHttpHeaders;
  raw: Buffer;
  body: {
    event: string;
    created_at: string;
    data: { contact?: EventContact; user?: EventUser; workspace?: EventWorkspace };
  };
}
interface EventContact {
  id: string;
  email: string;
  name: string;
  createdAt: string;
}
interface EventUser {
  id: string;
  email: string;
  name: string;
}
interface EventWorkspace {
  id: string;
  name: string;
}

export interface Receiver {
  url: string;
  received: Received[];
  stop(): Promise<void>;
}

/**
 * A webhook endpoint on loopback: records every request.
 *
 * @param statuses of the first answers; further requests are answered 200
 */
export async function startReceiver(statuses: readonly number[] = []): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks);
      received.push({
        headers: request.headers,
        raw,
        body: JSON.parse(raw.toString('utf8')) as Received['body'],
      });
      response.writeHead(statuses[received.length - 1] ?? 200).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
