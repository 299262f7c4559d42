import { spawn, execFile, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { checksumOf, type ProgramName } from '@roster/contracts';
import { copyNewCluster, eventually, requireClosed } from '@roster/testing';
import type { ExecutionContext } from 'ava';
import { processNames } from '../cluster/release.js';
import { environmentOf } from './processes.js';

const thisCheckout = fileURLToPath(new URL('../../../', import.meta.url));
const scriptIn = (checkout: string, name: string) =>
  join(checkout, 'deploy/local/dist', `${name}.js`);

/** The whole system as run by `npm start`, with its own home directory. */
export interface RunningRoster {
  home: string;
  baseUrl: string;
  apiKey: string;
  workspaceId: string;
  userId: string;
  /** The URL of a superuser, unless DATABASE_URL is given: the processes have roles of their own. */
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

export interface RosterOptions {
  /** The test or hook, which gets its time for the rest when the system has started. */
  t?: Pick<ExecutionContext, 'timeout'>;
  home?: string;
  env?: Record<string, string>;
  /** The directory of another checkout, which is built. */
  checkout?: string;
  /** Set for a system as of a former release, in which all processes have the same credentials. */
  isOpen?: true;
}

/** The file with the seed of a program: with it, a test connects to NATS as that program. */
export const seedFileOf = ({ natsKeys }: Pick<RunningRoster, 'natsKeys'>, program: ProgramName) =>
  join(natsKeys, `${program}.nk`);

/**
 * How long the system may take to start. Its processes exit before if one of them is not ready in time: a loaded machine is
 * slow, and nothing is wrong as long as they run.
 */
export const startTimeoutMs = 10 * 60_000;
export const readyTimeoutSeconds = 5 * 60;
/** How long a test may take after the start. */
export const testTimeoutMs = 180_000;

/** For tests that do not measure time: a stall of the machine does not fail requests. */
export const patience = { REQUEST_TIMEOUT_MS: '30000' };

/** @throws Error with what the system printed, if it does not start; if its configuration is not closed */
export async function startRoster(options: RosterOptions = {}): Promise<RunningRoster> {
  const { t, checkout = thisCheckout } = options;
  t?.timeout(startTimeoutMs);
  const home = options.home ?? (await newHome(options));
  const env = { ...environment(options.env), ROSTER_HOME: home };
  const child = spawn(process.execPath, [scriptIn(checkout, 'start')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let output = '';
  child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr!.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const exited = once(child, 'exit');
  const demo = await demoOf(home, () => isRunning(child)).catch(async (error: Error) => {
    await stopChild(child, exited);
    throw new Error(`${error.message}\n${output}`, { cause: error });
  });
  if (!options.isOpen)
    for (const name of processNames) await requireClosed(name, environmentOf(home, name));
  t?.timeout(testTimeoutMs);
  const stop = () => stopChild(child, exited);
  return {
    home,
    ...demo,
    databaseUrl: await superuserUrl(home, demo.databaseUrl),
    output: () => output,
    ...commandsOf(env, checkout),
    stop,
    async discard() {
      await stop();
      // Killed processes may still be writing.
      await rm(home, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}

async function newHome({ env, checkout }: RosterOptions): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'roster-system-'));
  if (env?.DATABASE_URL || checkout) return home;
  const postgres = join(home, 'postgres');
  await mkdir(postgres, { mode: 0o700 });
  await copyNewCluster(postgres);
  return home;
}

/** Administers the workspaces of the shared system. */
const random = 'a'.repeat(30);
export const sharedAdminKey = `rak_${random}${checksumOf(random)}`;

/** The system that the test files of a run share, with a workspace of its own for each call. */
export type SharedRoster = Pick<
  RunningRoster,
  | 'baseUrl'
  | 'apiKey'
  | 'workspaceId'
  | 'userId'
  | 'databaseUrl'
  | 'natsUrl'
  | 'natsKeys'
  | 'roster'
  | 'newWorkspace'
>;

/**
 * Starts the shared system if no file has yet. For tests that disturb no other workspace: they end no process, need no settings
 * and count nothing beyond their own workspace.
 *
 * @throws Error with what the system printed, if it does not start
 */
export async function sharedRoster(t: Pick<ExecutionContext, 'timeout'>): Promise<SharedRoster> {
  t.timeout(startTimeoutMs);
  const socket = process.env.ROSTER_TEST_SHARED;
  if (!socket) throw new Error('The shared system belongs to a run of `npm test`.');
  const env = environment({
    ...patience,
    // A receiver in a stalled test is sent no event twice.
    ATTEMPT_TIMEOUT_MS: '60000',
    // A cached key does not outlive its revocation, however long it is cached.
    KEY_CACHE_SECONDS: '60',
    // The last pass of a deletion does not wait for minutes.
    WORKSPACE_DELETION_SECONDS: '1',
    ADMIN_KEY_HASHES: createHash('sha256').update(sharedAdminKey).digest('hex'),
  });
  const connection = connect(socket);
  connection.write(`${JSON.stringify({ script: scriptIn(thisCheckout, 'start'), env })}\n`);
  const answers: string[] = [];
  createInterface({ input: connection }).on('line', (line) => answers.push(line));
  const home = await eventually(() => answers[0], { describe: 'the run' });
  const demo = await demoOf(home, () => !connection.readableEnded).catch((error: Error) => {
    throw new Error([error.message, ...answers].join('\n'), { cause: error });
  });
  connection.destroy();
  const commands = commandsOf({ ...env, ROSTER_HOME: home }, thisCheckout);
  const workspace = await commands.newWorkspace('Shared');
  t.timeout(testTimeoutMs);
  const { baseUrl, natsUrl, natsKeys } = demo;
  const databaseUrl = await superuserUrl(home, demo.databaseUrl);
  return { baseUrl, natsUrl, natsKeys, databaseUrl, ...workspace, ...commands };
}

function environment(own: Record<string, string> = {}): NodeJS.ProcessEnv {
  const {
    DATABASE_URL: _,
    NATS_URL: __,
    ROSTER_TEST_DATABASE_URL: ___,
    ...inherited
  } = process.env;
  return { ...inherited, PORT: '0', READY_TIMEOUT_SECONDS: `${readyTimeoutSeconds}`, ...own };
}

function commandsOf(
  env: NodeJS.ProcessEnv,
  checkout: string,
): Pick<RunningRoster, 'roster' | 'newWorkspace'> {
  const roster = async (...args: string[]) => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [scriptIn(checkout, 'roster'), ...args],
      { env },
    );
    return JSON.parse(stdout) as unknown;
  };
  return {
    roster,
    newWorkspace: (name) =>
      untilAvailable(() =>
        roster(
          ...['workspace', 'create', '--name', name],
          ...['--owner-email', 'owner@example.com', '--owner-name', 'Owner'],
        ),
      ) as ReturnType<RunningRoster['newWorkspace']>,
  };
}

/** Repeats a command while a service is unavailable: it has changed nothing then. */
async function untilAvailable(command: () => Promise<unknown>): Promise<unknown> {
  const outcome = await eventually(
    async () => {
      try {
        return { printed: await command() };
      } catch (error) {
        if (String((error as { stderr?: string }).stderr).startsWith('unavailable:')) throw error;
        return { error };
      }
    },
    { timeoutMs: testTimeoutMs, describe: 'a command' },
  );
  if ('error' in outcome) throw outcome.error;
  return outcome.printed;
}

type Demo = Pick<
  RunningRoster,
  'baseUrl' | 'apiKey' | 'workspaceId' | 'userId' | 'databaseUrl' | 'natsUrl' | 'natsKeys'
>;

/** The demo of the system when it has started. */
async function demoOf(home: string, runs: () => boolean): Promise<Demo> {
  const demo = await eventually(
    async () =>
      runs() ? (JSON.parse(await readFile(join(home, 'demo.json'), 'utf8')) as Demo) : 'exited',
    { timeoutMs: startTimeoutMs, describe: 'npm start' },
  );
  if (demo === 'exited') throw new Error('npm start exited:');
  return demo;
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;

async function superuserUrl(home: string, migratorUrl: string): Promise<string> {
  const password = await readFile(join(home, 'postgres', 'password'), 'utf8').catch(() => '');
  const url = new URL(migratorUrl);
  if (password !== '') Object.assign(url, { username: 'roster', password: password.trim() });
  return url.href;
}

async function stopChild(child: ChildProcess, exited: Promise<unknown[]>): Promise<number | null> {
  if (isRunning(child)) child.kill('SIGTERM');
  await exited;
  return child.exitCode;
}
