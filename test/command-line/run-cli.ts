import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory, inheritedEnv } from '@roster/testing';
import type { ExecutionContext } from 'ava';

/** The program of the package `roster`. */
export const bin = join(dirname(fileURLToPath(import.meta.resolve('roster'))), 'bin.js');

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder and an environment of its own: a test must not see the profiles of the account that runs it. */
export async function newEnvironment(
  t: ExecutionContext,
  { baseUrl, apiKey }: { baseUrl: string; apiKey: string },
): Promise<{ folder: string; env: NodeJS.ProcessEnv }> {
  const folder = await temporaryDirectory(t);
  const config = {
    ...inheritedEnv,
    ...{ HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), LANG: 'C.UTF-8' },
  };
  return { folder, env: { ...config, ROSTER_URL: baseUrl, ROSTER_API_KEY: apiKey } };
}

/** Runs the command line to its end, in pipes. */
export async function runCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  { input = '', signal }: { input?: string; signal?: (child: ChildProcess) => void } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [bin, ...args], { env });
  child.stdin.on('error', () => {}).end(input);
  signal?.(child);
  return finished(child);
}

/** Runs a script of bash in a folder, in which `roster` and `npx roster` are the command line. */
export async function runScript(
  script: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<Finished> {
  const functions = `roster() { '${process.execPath}' '${bin}' "$@"; }; npx() { "$@"; }; set -o pipefail`;
  const child = spawn('bash', ['-c', `${functions}\n${script}`], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return finished(child);
}

/**
 * Runs a command of the command line in a pseudo-terminal of `script` (bsdutils).
 *
 * @param answer is called with everything printed so far, whenever it grows, and returns what is typed
 */
export async function runInTerminal(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
  { columns = 80, answer = () => undefined }: { columns?: number; answer?: Answer } = {},
): Promise<{ code: number | null; printed: string }> {
  const roster = `'${process.execPath}' '${bin}' ${command}`;
  const child = spawn(
    'script',
    ['-q', '-e', '-c', `stty cols ${columns} rows 40; ${roster}`, '/dev/null'],
    { cwd, env: { ...env, TERM: 'xterm-256color', SHELL: '/bin/sh' } },
  );
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      printed += chunk;
      const typed = answer(printed);
      if (typed !== undefined) child.stdin.write(typed);
    });
  child.stdin.on('error', () => {});
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, printed: printed.replaceAll('\r\n', '\n') };
}
type Answer = (printed: string) => string | undefined;

async function finished(child: ChildProcess): Promise<Finished> {
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    once(child, 'close') as Promise<[number | null]>,
  ]);
  return { code, stdout, stderr };
}
