import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import type { Account } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { worksIn } from './works-in.js';

export interface Cluster {
  directory: string;
  /** The directory as the server must be given it, when started with the directory as its cwd. */
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

/** The cluster under `dataDir`, made when it is missing, ready to be started. */
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
  // Made under another name and renamed when complete, so that a crash leaves no half a cluster.
  const directory = `${clusterDirectory(dataDir)}.new`;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { mode: 0o700 });
  if (account) await chown(directory, account.uid, account.gid);

  const serverPath = pathFor(account, directory);
  await run(binaries.initdb, [
    ...['-D', serverPath, '--username=roster', '--encoding=UTF8', '--no-instructions'],
    // Sorts and folds by code point, the same on every machine, whatever locales are installed.
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
 * Another account may not be able to walk to the directory. It is started inside it (the change of directory
 * comes before the change of account), and this link leads back there without a walk. Linux only.
 */
function pathFor(account: Account | undefined, directory: string): string {
  return account ? '/proc/self/cwd' : directory;
}

const pidFile = 'postmaster.pid';
// Beyond any pid a kernel gives out.
const deadPid = 2 ** 31 - 1;

/**
 * PostgreSQL refuses to start when the pid its last run left behind is in use again by any process of the same
 * account. Here only a server that really works in this directory counts.
 */
async function clearStalePid(directory: string): Promise<void> {
  const file = join(directory, pidFile);
  const [firstLine, ...rest] = (await readFile(file, 'utf8').catch(() => '')).split('\n');
  const pid = Number(firstLine);
  if (!pid || pid === deadPid || process.platform !== 'linux') return;

  if (await worksIn(pid, directory)) {
    throw new Error(`PostgreSQL is already running on ${directory} (pid ${pid}).`);
  }
  // Only the pid: the lines below it let PostgreSQL see that backends of the last run still live.
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
