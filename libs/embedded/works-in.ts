import { stat } from 'node:fs/promises';

/**
 * Whether a process runs with the directory as its working directory: so a pid that a file remembers is told from
 * another process that has it now. Knows nothing, and says no, where there is no /proc.
 */
export async function worksIn(pid: number, directory: string): Promise<boolean> {
  const [mine, theirs] = await Promise.all(
    [directory, `/proc/${pid}/cwd`].map((path) => stat(path).catch(() => undefined)),
  );
  return mine !== undefined && mine.ino === theirs?.ino && mine.dev === theirs.dev;
}
