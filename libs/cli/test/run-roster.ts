import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

import { temporaryDirectory, inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';

/** The program. */
export const bin = fileURLToPath(new URL('../bin.js', import.meta.url));

/** A configuration of its own, so that no test sees the profiles of the account that runs it. */
export async function newConfig(t: ExecutionContext): Promise<NodeJS.ProcessEnv> {
  const folder = await temporaryDirectory(t);
  return { ...inheritedEnv, HOME: folder, XDG_CONFIG_HOME: folder };
}

/** Runs the program to its end, in pipes. */
export async function runRoster(args: readonly string[], env: NodeJS.ProcessEnv, input = '') {
  const child = spawn(process.execPath, [bin, ...args], { env });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('close', resolve)),
  ]);
  return { code, stdout, stderr };
}
