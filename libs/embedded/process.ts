import { stat } from 'node:fs/promises';

/** Whether a process with this pid exists, regardless of its user. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

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
