import { chmodSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const othersBits = 0o077;

/**
 * Removes the permissions of all other accounts from files and folders, including what the folders contain. Files of earlier
 * versions may have them. Missing paths and symbolic links are skipped.
 */
export function makePrivate(paths: readonly string[]): void {
  for (const path of paths) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats || stats.isSymbolicLink()) continue;
    if ((stats.mode & othersBits) !== 0) chmodSync(path, stats.mode & 0o7777 & ~othersBits);
    if (stats.isDirectory()) makePrivate(readdirSync(path).map((name) => join(path, name)));
  }
}
