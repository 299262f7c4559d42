import { execFile } from 'node:child_process';
import { mkdir, rename, rm } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../cluster/release.js';

const execute = promisify(execFile);

/** The files of a commit, in a directory that is created once per commit. */
export async function checkOut(commit: string): Promise<string> {
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
