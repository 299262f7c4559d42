import { setTimeout as delay } from 'node:timers/promises';

/**
 * What a process needs is not there yet. The message is for whoever runs it, in one line: the variable concerned, what is
 * wrong, what to do. It shows no password and no whole URL.
 */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  /** Whether it may come without anybody's doing: a server that starts does, a wrong password does not. */
  readonly passing: boolean;

  constructor(message: string, { passing, cause }: { passing: boolean; cause?: unknown }) {
    super(message, { cause });
    this.passing = passing;
  }
}

export interface Patience {
  /** Ends the wait: it rejects then. */
  signal?: AbortSignal;
  /** Told of every reason once, and again after a minute. */
  onReason: (reason: NotYet) => void;
  /** Which reasons are not waited for. Default: all are. */
  givesUp?: (reason: NotYet) => boolean;
}

const firstPauseMs = 100;
const pauseMsMax = 1000;
const sayAgainMs = 60_000;

/**
 * Tries until it is there: again while `attempt` throws NotYet, at first after 100 ms, at last about every second. Any
 * other error is thrown on.
 */
export async function waitFor<T>(
  attempt: () => Promise<T>,
  { signal, onReason, givesUp = () => false }: Patience,
): Promise<T> {
  const saidAt = new Map<string, number>();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, pauseMsMax)) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof NotYet) || givesUp(error)) throw error;
      const now = performance.now();
      if (now - (saidAt.get(error.message) ?? -Infinity) >= sayAgainMs) {
        saidAt.set(error.message, now);
        onReason(error);
      }
    }
    // Many processes wait for the same server: they must not all come back at once.
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
  }
}
