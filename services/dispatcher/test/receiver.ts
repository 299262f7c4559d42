import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExecutionContext } from 'ava';

export interface Hit {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A receiver on loopback. `answer` handles requests; by default they are answered 200. */
export async function receiverFor(
  t: ExecutionContext,
  answer: (response: ServerResponse, hit: Hit, request: IncomingMessage) => void = (response) =>
    response.end(),
): Promise<{ url: string; port: number; hits: Hit[]; connections(): number }> {
  const hits: Hit[] = [];
  let connections = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const hit = { headers: request.headers, body: Buffer.concat(chunks).toString('utf8') };
      hits.push(hit);
      answer(response, hit, request);
    });
  });
  // A test may pause for longer than Node keeps idle connections by default.
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => (connections += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook?x=1`, port, hits, connections: () => connections };
}
