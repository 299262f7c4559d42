import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Where a program in a pod is asked, on the pod's own loopback: `kubectl exec` comes in there, and nobody else. */
export const controlPort = 7070;

export type Asked = (query: URLSearchParams) => unknown;

/** Answers each path with what its function gives, as JSON. Resolves with the port. */
export async function startControl(
  answers: Record<string, Asked>,
  port = controlPort,
): Promise<{ port: number; stop(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = async () => {
      const asked = answers[pathname];
      if (!asked) throw new Error(`nothing answers ${pathname}`);
      return JSON.stringify((await asked(searchParams)) ?? null);
    };
    answer().then(
      (answer) => response.end(answer),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () => server.close().closeAllConnections(),
  };
}
