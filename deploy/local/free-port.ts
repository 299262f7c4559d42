import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 100;

/**
 * Waits until the address can be listened on.
 *
 * @throws Error one clear line, when the address is still in use after `patienceMs`
 */
export async function waitForFreePort(
  host: string,
  port: number,
  patienceMs: number,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const problem = await tryToListen(host, port);
    if (!problem) return;
    if (problem.code !== 'EADDRINUSE')
      throw new Error(`Cannot listen on ${host}:${port}: ${problem.message}`);
    if (performance.now() >= deadline) {
      throw new Error(
        `Port ${port} is already in use on ${host}. Choose another: PORT=${port + 1} npm start`,
      );
    }
    await delay(pollMs);
  }
}

function tryToListen(host: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', resolve);
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve(undefined)));
  });
}
