import type { Session } from '@roster/storage';

/**
 * Runs `work` in a transaction, or in a savepoint of one, and rolls it back: its result is as if it had changed something, and nothing
 * is announced.
 */
export async function rolledBack<T>(
  inner: Session,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  let done: { result: T } | undefined;
  try {
    await inner.transaction(async (session) => {
      done = { result: await work(session) };
      throw new RolledBack();
    });
  } catch (error) {
    if (!(error instanceof RolledBack)) throw error;
  }
  return done!.result;
}

class RolledBack extends Error {}
