import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { eventually, inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';

export interface Probe {
  /** Its log lines. */
  lines(): Record<string, unknown>[];
  /** The reasons that it logged for waiting. */
  reasons(): string[];
  /** Its complete output. */
  output(): string;
  kill(signal: NodeJS.Signals): void;
  exit: Promise<number | null>;
  get(path: string): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Resolves when `/readyz` answers 200. */
  ready(): Promise<void>;
  /** Resolves when it has logged why it waits. */
  waits(): Promise<string>;
}

/** A busy machine takes long to load a process. */
const patience = { timeoutMs: 90_000 };

/** Starts `probe.ts` or `slow-probe.ts`, which is stopped when the test ends. */
export function spawnProbe(
  t: ExecutionContext,
  env: Record<string, string>,
  fixture: 'probe' | 'slow-probe' = 'probe',
): Probe {
  const script = fileURLToPath(new URL(`./${fixture}.js`, import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: { ...inheritedEnv, ADMIN_PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  const lines = () =>
    output
      .split('\n')
      // The output after the last line break is an incomplete line.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const reasons = () =>
    lines()
      .filter(({ waiting }) => waiting === true)
      .map(({ msg }) => String(msg));
  const get = async (path: string) => {
    const port = await eventually(
      () => lines().find(({ adminPort }) => adminPort)?.['adminPort'],
      patience,
    );
    const response = await fetch(`http://127.0.0.1:${String(port)}${path}`);
    return {
      status: response.status,
      body: (await response.json()) as Record<string, unknown>,
    };
  };
  return {
    lines,
    reasons,
    output: () => output,
    kill: (signal) => void child.kill(signal),
    exit: once(child, 'close').then(([code]) => code as number | null),
    get,
    async ready() {
      await eventually(async () => (await get('/readyz')).status === 200, {
        ...patience,
        describe: `a process that is ready; it wrote ${output}`,
      });
    },
    waits: () => eventually(() => reasons()[0], { ...patience, describe: 'a reason to wait' }),
  };
}
