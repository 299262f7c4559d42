import { readFile } from 'node:fs/promises';
import { kubectl } from './kubectl.js';
import { namespace, outside } from './names.js';

/** Runs a command in a running pod, or in a pod of a Deployment. */
export async function exec(
  where: { namespace: string; target: string },
  command: readonly string[],
  input?: string,
): Promise<string> {
  const { stdout } = await kubectl(
    [
      'exec',
      '-n',
      where.namespace,
      where.target,
      ...(input === undefined ? [] : ['-i']),
      '--',
      ...command,
    ],
    { timeoutMs: 180_000, ...(input === undefined ? {} : { input }) },
  );
  return stdout;
}

/** Runs the command line as the documentation of the manifests describes. */
export async function roster<Answer>(...args: string[]): Promise<Answer> {
  const seed = ['get', 'secret', 'nats', '-n', namespace, '-o', operatorSeed];
  const { stdout: input } = await kubectl(seed);
  const command = ['env', 'NATS_NKEY_SEED_FILE=/dev/stdin', 'roster', ...args];
  const stdout = await exec({ namespace, target: 'deploy/users' }, command, input);
  return JSON.parse(stdout) as Answer;
}

const operatorSeed = 'go-template={{index .data "operator-seed" | base64decode}}';

/** Sends a request to a program of this test in its pod, see pods/control.ts. */
export async function send<Answer>(pod: 'load' | 'receiver', path: string): Promise<Answer> {
  const command = ['node', '/programs/request.js', path];
  return JSON.parse(await exec({ namespace: outside, target: `deploy/${pod}` }, command)) as Answer;
}

export interface Target {
  name: string;
  host: string;
  port: number;
  /** Whether a connection is expected to be accepted. */
  open: boolean;
}

/** The targets that accept a connection from this pod. */
export async function probe(
  from: { namespace: string; target: string },
  targets: readonly Target[],
): Promise<Target[]> {
  const program = await readFile(new URL('../pods/probe.js', import.meta.url), 'utf8');
  const command = ['node', '--input-type=module', '-', JSON.stringify(targets)];
  return JSON.parse(await exec(from, command, program)) as Target[];
}
