import { readFileSync, renameSync, writeFileSync } from 'node:fs';

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
