import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export interface AvaRun {
  root: string;
  args: string[];
  env: NodeJS.ProcessEnv;
}

/** Runs ava, showing what it writes, and resolves with its exit code and its report. */
export async function runAva({
  root,
  args,
  env,
}: AvaRun): Promise<{ code: number; output: string }> {
  const cli = join(dirname(createRequire(join(root, 'package.json')).resolve('ava')), 'cli.js');
  const ava = spawn(process.execPath, [cli, ...args], {
    cwd: root,
    env: {
      ...env,
      // Coloured for people, and with the same marks wherever it runs.
      ...(process.stdout.isTTY ? { FORCE_COLOR: '1' } : {}),
      ...(env.TERM === 'linux' ? { TERM: 'xterm' } : {}),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const stop = () => ava.kill('SIGTERM');
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
  process.on('disconnect', stop);

  let output = '';
  ava.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    output += chunk;
    process.stdout.write(chunk);
  });
  return new Promise((resolve, reject) => {
    ava.once('error', reject);
    ava.once('close', (code) => resolve({ code: code ?? 1, output }));
  });
}
