import { spawn } from 'node:child_process';

export class KubectlMissing extends Error {
  override name = 'KubectlMissing';
}

/** The output of a command before it failed. */
export class CommandFailed extends Error {
  override name = 'CommandFailed';
  readonly stdout: string;
  readonly stderr: string;

  constructor(message: string, { stdout, stderr }: CommandResult) {
    super(message);
    this.stdout = stdout;
    this.stderr = stderr;
  }
}

export interface CommandResult {
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  input?: string;
  timeoutMs?: number;
}

/** @throws CommandFailed, or KubectlMissing if kubectl is not installed */
export const kubectl = (args: readonly string[], options?: CommandOptions) =>
  runProgram('kubectl', args, options);

export async function kubectlJson<Answer>(
  args: readonly string[],
  options?: CommandOptions,
): Promise<Answer> {
  return JSON.parse((await kubectl([...args, '-o', 'json'], options)).stdout) as Answer;
}

/** Applies the given objects. */
export const applyObjects = (items: readonly object[]) =>
  kubectl(['apply', '-f', '-'], {
    input: JSON.stringify({ apiVersion: 'v1', kind: 'List', items }),
  });

/** With a time limit: a cluster that does not respond must not block the test. */
export function runProgram(
  program: string,
  args: readonly string[],
  { input, timeoutMs = 60_000 }: CommandOptions = {},
): Promise<CommandResult> {
  const command = [program, ...args].join(' ');
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      reject(
        error.code === 'ENOENT' && program === 'kubectl'
          ? new KubectlMissing('kubectl is not on the PATH: install it to test a cluster.')
          : error,
      );
    });
    child.once('close', (code, signal) => {
      clearTimeout(timer);
      if (code === 0) return resolve({ stdout, stderr });
      const why =
        signal === 'SIGKILL' ? `did not end within ${timeoutMs / 1000} s` : `exit ${code}`;
      const message = `${shortened(command)}: ${why}\n${stderr.trim() || stdout.trim()}`;
      reject(new CommandFailed(message, { stdout, stderr }));
    });
    // A command that exits early closes its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

const shortened = (command: string): string =>
  command.length > 200 ? `${command.slice(0, 200)}…` : command;
