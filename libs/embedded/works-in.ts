import { stat } from 'node:fs/promises';

/**
 * Whether the working directory of a process is this one, which distinguishes the process that wrote a pid file from
 * another process that now has its pid. False where there is no /proc.
 */
export async function worksIn(pid: number, directory: string): Promise<boolean> {
  const [mine, theirs] = await Promise.all(
    [directory, `/proc/${pid}/cwd`].map((path) => stat(path).catch(() => undefined)),
  );
  return mine !== undefined && mine.ino === theirs?.ino && mine.dev === theirs.dev;
}
