import type { ExecutionContext } from 'ava';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Mounts a gateway below a path, as a reverse proxy does. Resolves with its address. */
export async function mounted(t: ExecutionContext, url: string): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method, headers } = incoming;
    const path = incoming.url!.replace(/^\/mounted\/here(?=\/)/, '');
    const forwarded = request(url + path, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mounted/here`;
}
