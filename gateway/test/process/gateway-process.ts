import { inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const main = fileURLToPath(new URL('../../main.js', import.meta.url));

export interface GatewayProcess {
  process: ChildProcess;
  port: number;
  adminPort: number;
  /** Output so far. */
  output(): string;
  exit: Promise<number | null>;
}

/** Starts the gateway as a process. */
export function spawnGateway(t: ExecutionContext, env: Record<string, string>) {
  const child = spawn(process.execPath, [main], {
    env: { ...inheritedEnv, PORT: '0', ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const exit = once(child, 'close').then(([code]) => code as number | null);
  t.teardown(() => child.kill('SIGKILL'));
  return { process: child, output: () => output, exit };
}

export async function startGatewayProcess(
  t: ExecutionContext,
  env: Record<string, string>,
): Promise<GatewayProcess> {
  const spawned = spawnGateway(t, env);
  const failed = spawned.exit.then((code) => {
    throw new Error(`exited with ${code}: ${spawned.output()}`);
  });
  const [ready] = (await Promise.race([once(spawned.process, 'message'), failed])) as [
    { port: number; adminPort: number },
  ];
  failed.catch(() => {});
  return { ...spawned, ...ready };
}
