import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { temporaryDirectory, inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';

/** The program of the command line. */
export const cli = fileURLToPath(new URL('../roster.js', import.meta.url));

/** Runs the command line with an environment and a home of its own. */
export async function roster(
  t: ExecutionContext,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
) {
  const home = await temporaryDirectory(t);
  return new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(
      process.execPath,
      [cli, ...args],
      { env: { ...inheritedEnv, ROSTER_HOME: home, ...env } },
      (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }),
    );
  });
}

/** Whether a program exists and exits with 0. */
export const succeeds = (command: string, ...args: string[]): Promise<boolean> =>
  promisify(execFile)(command, args).then(
    () => true,
    () => false,
  );
