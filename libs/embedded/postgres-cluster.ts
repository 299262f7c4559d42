import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Account, PostgresBinaries } from './postgres-binaries.js';
import { worksIn } from './process.js';

export interface Cluster {
  directory: string;
  /** The path of the directory that the server is given when it is started with the directory as its cwd. */
  serverPath: string;
  password: string;
}

interface ClusterOptions {
  dataDir: string;
  account: Account | undefined;
  binaries: PostgresBinaries;
}

export function clusterDirectory(dataDir: string): string {
  return join(dataDir, 'cluster');
}

/** The cluster under `dataDir`, ready to be started. Created if missing. */
export async function openCluster(options: ClusterOptions): Promise<Cluster> {
  const directory = clusterDirectory(options.dataDir);
  if (!(await exists(directory))) await createCluster(options);
  await clearStalePid(directory);
  return {
    directory,
    serverPath: pathFor(options.account, directory),
    password: await readPassword(options.dataDir),
  };
}

async function createCluster(options: ClusterOptions): Promise<void> {
  const { dataDir, account, binaries } = options;
  // Created under a temporary name and renamed when complete, so that a crash leaves no partial cluster.
  const directory = `${clusterDirectory(dataDir)}.new`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
  if (account) await chown(directory, account.uid, account.gid);

  const serverPath = pathFor(account, directory);
  await run(binaries.initdb, [
    ...['-D', serverPath, '--username=roster', '--encoding=UTF8', '--no-instructions'],
    // Sorts and folds case by code point: the same on every machine, regardless of the installed locales.
    ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ...['--auth-local=reject', '--auth-host=scram-sha-256'],
  ]);
  const password = randomBytes(24).toString('hex');
  await run(
    binaries.postgres,
    ['--single', '-D', serverPath, 'postgres'],
    `ALTER ROLE roster PASSWORD '${password}';\nCREATE DATABASE roster;\n`,
  );
  await writePassword(dataDir, password);
  await rename(directory, clusterDirectory(dataDir));

  async function run(command: string, args: string[], input = ''): Promise<void> {
    const child = spawn(command, args, {
      cwd: directory,
      env: { LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: true,
      ...account,
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += chunk));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    if (code !== 0) throw new Error(`${command} failed: ${output.trim()}`);
  }
}

/**
 * Another account may lack permission for the parents of the directory. The server is started in the directory (its
 * cwd is changed before its account), and this link leads back to it without traversing them. Linux only.
 */
function pathFor(account: Account | undefined, directory: string): string {
  return account ? '/proc/self/cwd' : directory;
}

const pidFile = 'postmaster.pid';
// Greater than any pid of the kernel.
const deadPid = 2 ** 31 - 1;

/**
 * PostgreSQL refuses to start if any process of the same account now has the pid of its previous run. Here, only a
 * server whose working directory is this one counts.
 */
async function clearStalePid(directory: string): Promise<void> {
  const file = join(directory, pidFile);
  const [firstLine, ...rest] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(firstLine);
  if (!pid || pid === deadPid || process.platform !== 'linux') return;

  if (await worksIn(pid, directory)) {
    throw new Error(`PostgreSQL is already running on ${directory} (pid ${pid}).`);
  }
  // Only the pid: from the lines below it, PostgreSQL detects backends of the previous run that still live.
  await writeFile(file, [deadPid, ...rest].join('\n'));
}

const passwordFile = 'password';

async function readPassword(dataDir: string): Promise<string> {
  const file = join(dataDir, passwordFile);
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new Error(`Cannot read the password of the database in ${dataDir} from ${file}.`, {
      cause: error,
    });
  }
}

async function writePassword(dataDir: string, password: string): Promise<void> {
  const file = join(dataDir, passwordFile);
  await rm(file, { force: true });
  await writeFile(file, `${password}\n`, { mode: 0o600 });
  await chmod(file, 0o600);
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
