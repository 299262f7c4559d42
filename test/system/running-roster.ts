import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ProgramName } from '@roster/contracts';
import { eventually } from '@roster/testing';

const local = fileURLToPath(new URL('../../../deploy/local/dist/', import.meta.url));

/** The whole system as run by `npm start`, with its own home directory. */
export interface RunningRoster {
  home: string;
  baseUrl: string;
  apiKey: string;
  workspaceId: string;
  userId: string;
  /** Of a superuser, unless DATABASE_URL is given: the processes have roles of their own. */
  databaseUrl: string;
  natsUrl: string;
  /** Folder with the seeds of the programs. */
  natsKeys: string;
  /** Everything printed so far. */
  output(): string;
  /** Creates a workspace with the command line. */
  newWorkspace(name: string): Promise<{ workspaceId: string; userId: string; apiKey: string }>;
  roster(...args: string[]): Promise<unknown>;
  /** Sends SIGTERM and resolves with the exit code. Keeps the home directory. */
  stop(): Promise<number | null>;
  /** Stops the system and removes its home directory. */
  discard(): Promise<void>;
}

/** The file with the seed of a program: with it, a test connects to NATS as that program. */
export const seedFileOf = ({ natsKeys }: Pick<RunningRoster, 'natsKeys'>, program: ProgramName) =>
  join(natsKeys, `${program}.nk`);

/** For tests that do not measure time: a stall of the machine does not fail requests. */
export const patience = { REQUEST_TIMEOUT_MS: '30000' };

export async function startRoster(
  options: { home?: string; env?: Record<string, string> } = {},
): Promise<RunningRoster> {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'roster-system-')));
  const {
    DATABASE_URL: _,
    NATS_URL: __,
    ROSTER_TEST_DATABASE_URL: ___,
    ...inherited
  } = process.env;
  const env = { ...inherited, ROSTER_HOME: home, PORT: '0', ...options.env };
  const child = spawn(process.execPath, [join(local, 'start.js')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'exit');
  const demo = await Promise.race([
    eventually(async () => JSON.parse(await readFile(join(home, 'demo.json'), 'utf8')) as Demo, {
      timeoutMs: 90_000,
      describe: 'demo.json',
    }),
    exited.then(() => Promise.reject(new Error(`npm start exited:\n${output}`))),
  ]);
  const roster = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(local, 'roster.js'), ...args],
      { env },
    );
    return JSON.parse(stdout) as unknown;
  };
  const stop = () => stopChild(child, exited);
  return {
    home,
    ...demo,
    databaseUrl: await superuserUrl(home, demo.databaseUrl),
    output: () => output,
    roster,
    newWorkspace: (name) =>
      roster(
        ...['workspace', 'create', '--name', name],
        ...['--owner-email', 'owner@example.com', '--owner-name', 'Owner'],
      ) as ReturnType<RunningRoster['newWorkspace']>,
    stop,
    async discard() {
      await stop();
      // Killed processes may still be writing.
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

type Demo = Pick<
  RunningRoster,
  'baseUrl' | 'apiKey' | 'workspaceId' | 'userId' | 'databaseUrl' | 'natsUrl' | 'natsKeys'
>;

async function superuserUrl(home: string, migratorUrl: string): Promise<string> {
  const password = await readFile(join(home, 'postgres', 'password'), 'utf8').catch(() => '');
  const url = new URL(migratorUrl);
  if (password !== '') Object.assign(url, { username: 'roster', password: password.trim() });
  return url.href;
}

async function stopChild(child: ChildProcess, exited: Promise<unknown[]>): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGTERM');
  await exited;
  return child.exitCode;
}
