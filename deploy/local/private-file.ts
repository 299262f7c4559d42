import {
  readFileSync,
  renameSync,
  writeFileSync,
  chmodSync,
  lstatSync,
  readdirSync,
} from 'node:fs';
import { join } from 'node:path';

/** Writes a file that only its owner can read, atomically: readers see the old or the new content, never a part. */
export function writePrivateFile(file: string, text: string): void {
  const temporary = `${file}.${process.pid}.new`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, file);
}

/** The text of a file, or undefined if it does not exist. */
export function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

const othersBits = 0o077;

/**
 * Removes the permissions of all other accounts from files and folders, including what the folders contain. Files of earlier
 * versions may have them. Missing paths and symbolic links are skipped. Servers that a crash left running may remove files meanwhile.
 */
export function makePrivate(paths: readonly string[]): void {
  for (const path of paths) {
    try {
      makeOnePrivate(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
}

function makeOnePrivate(path: string): void {
  const stats = lstatSync(path);
  if (stats.isSymbolicLink()) return;
  if ((stats.mode & othersBits) !== 0) chmodSync(path, stats.mode & 0o7777 & ~othersBits);
  if (stats.isDirectory()) makePrivate(readdirSync(path).map((name) => join(path, name)));
}
