import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The control port of a program in a pod, on the pod's loopback: it is reachable only with `kubectl exec`. */
export const controlPort = 7070;

export type ControlFunction = (query: URLSearchParams) => unknown;

/** Answers each path with the result of its function, as JSON. Resolves with the port. */
export async function startControl(
  answers: Record<string, ControlFunction>,
  port = controlPort,
): Promise<{ port: number; stop(): void }> {
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const answer = async () => {
      const answer = answers[pathname];
      if (!answer) throw new Error(`nothing answers ${pathname}`);
      return JSON.stringify((await answer(searchParams)) ?? null);
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
