import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { formerRelease } from '@roster/testing';
import { nodeFlagsOf, root, scriptIn, type Release } from '../cluster/release.js';

const execute = promisify(execFile);
const buildTimeoutMs = 600_000;

/** The former release, installed and built. Fails if the history of this checkout does not reach its commit. */
export async function buildFormer({ version, commit }: typeof formerRelease): Promise<Release> {
  const directory = await checkOut(commit);
  // The release's own commands install the packages of its lock file and build what is missing.
  await execute(process.execPath, ['deploy/local/bootstrap.mjs', 'roster', '--help'], {
    cwd: directory,
    timeout: buildTimeoutMs,
  });
  return {
    name: `the former release (${version})`,
    nodeFlags: nodeFlagsOf(directory),
    scriptOf: (name) => scriptIn(directory, name),
  };
}

/** The files of a commit, in a directory that is created once per commit. */
async function checkOut(commit: string): Promise<string> {
  const directory = join(root, '.roster/former', commit);
  if (existsSync(directory)) return directory;
  const unfinished = `${directory}.${process.pid}`;
  await mkdir(unfinished, { recursive: true });
  const archive = `${unfinished}.tar`;
  await execute('git', ['archive', `--output=${archive}`, commit], { cwd: root });
  await execute('tar', ['-xf', archive, '-C', unfinished]);
  await rm(archive);
  try {
    await rename(unfinished, directory);
  } catch (error) {
    // Another run was first, with the same files.
    if (!existsSync(directory)) throw error;
    await rm(unfinished, { recursive: true, force: true });
  }
  return directory;
}
