import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { RunTotals } from './ava.config.js';

export interface AvaRun {
  root: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

export interface AvaEnd {
  code: number;
  /** Undefined if AVA exited before it ran a test. */
  totals: RunTotals | undefined;
}

const config = fileURLToPath(new URL('ava.config.js', import.meta.url));

/** Runs AVA with its report on this process's output, and resolves with its exit code and totals. */
export async function runAva({ root, args, env }: AvaRun): Promise<AvaEnd> {
  const cli = join(dirname(createRequire(join(root, 'package.json')).resolve('ava')), 'cli.js');
  const ava = spawn(process.execPath, [cli, '--config', config, ...args], {
    cwd: root,
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const stop = () => ava.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);

  let totals: RunTotals | undefined;
  ava.on('message', (message) => (totals = message as RunTotals));
  return new Promise((resolve, reject) => {
    ava.once('error', reject);
    ava.once('close', (code) => resolve({ code: code ?? 1, totals }));
  });
}
