import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { glob, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../cluster/release.js';

const execute = promisify(execFile);
const buildTimeoutMs = 600_000;

/**
 * Installs and builds a commit, once: its directory is kept under `.roster/`, without data. Returns the directory. Fails if the
 * history of this checkout does not reach the commit.
 */
export async function buildCommit(commit: string, signal?: AbortSignal): Promise<string> {
  const directory = await checkOut(commit, signal);
  // The commit's own commands install the packages of its lock file and build what is missing.
  await execute(process.execPath, ['deploy/local/bootstrap.mjs', 'roster', '--help'], {
    cwd: directory,
    timeout: buildTimeoutMs,
    signal,
  });
  return directory;
}

/** The files of a commit, in a directory that is created once per commit. */
async function checkOut(commit: string, signal?: AbortSignal): Promise<string> {
  const directory = join(root, '.roster/former', commit);
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.${process.pid}`;
  const archive = `${unfinished}.tar`;
  try {
    await mkdir(unfinished, { recursive: true });
    await execute('git', ['archive', `--output=${archive}`, commit], { cwd: root, signal });
    await execute('tar', ['-xf', archive, '-C', unfinished], { signal });
    await linkPackages(unfinished, signal);
    await rename(unfinished, directory);
  } catch (error) {
    // Another run may have been first, with the same files.
    if (!existsSync(directory)) throw error;
  } finally {
    await rm(archive, { force: true });
    await rm(unfinished, { recursive: true, force: true });
  }
  return directory;
}

/** The installed packages of this checkout, as links, if the lock files are equal. Otherwise the commit installs its own. */
async function linkPackages(directory: string, signal?: AbortSignal): Promise<void> {
  const [own, other] = await Promise.all(
    [root, directory].map((place) => readFile(join(place, 'package-lock.json'), 'utf8')),
  );
  if (own !== other) return;
  const manifests = glob('**/package.json', {
    cwd: directory,
    exclude: (name) => name.endsWith('node_modules'),
  });
  const folders = ['.'];
  for await (const manifest of manifests) folders.push(dirname(manifest));
  for (const folder of new Set(folders)) {
    const packages = join(folder, 'node_modules');
    // Links to directories would resolve to the packages of this checkout's workspaces.
    if (existsSync(join(root, packages)))
      await execute('cp', ['-al', join(root, packages), join(directory, packages)], { signal });
  }
}
