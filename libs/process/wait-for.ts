import { setTimeout as delay } from 'node:timers/promises';

/**
 * A dependency is not available yet. The message is one line for the operator: the variable, the problem and the remedy. It
 * contains no password and no complete URL.
 */
export class NotYet extends Error {
  override readonly name = 'NotYet';
  /** Whether it may become available without intervention: a starting server does, a wrong password does not. */
  readonly passing: boolean;

  constructor(message: string, { passing, cause }: { passing: boolean; cause?: unknown }) {
    super(message, { cause });
    this.passing = passing;
  }
}

export interface Patience {
  /** Ends the wait, which then rejects. */
  signal?: AbortSignal;
  /** Called once for each reason, and again after a minute. */
  onReason: (reason: NotYet) => void;
  /** Reasons that end the wait. Default: none. */
  givesUp?: (reason: NotYet) => boolean;
}

const firstPauseMs = 100;
const pauseMsMax = 1000;
const sayAgainMs = 60_000;

/**
 * Retries `attempt` while it throws NotYet: after a tenth of the time waited so far, at least every 100 ms at first and about
 * every second after ten. Other errors are rethrown.
 */
export async function waitFor<T>(
  attempt: () => Promise<T>,
  { signal, onReason, givesUp = () => false }: Patience,
): Promise<T> {
  const saidAt = new Map<string, number>();
  const startedAt = performance.now();
  for (;;) {
    let now: number;
    try {
      return await attempt();
    } catch (error) {
      now = performance.now();
      if (!(error instanceof NotYet) || givesUp(error)) throw error;
      if (now - (saidAt.get(error.message) ?? -Infinity) >= sayAgainMs) {
        saidAt.set(error.message, now);
        onReason(error);
      }
    }
    const pauseMs = Math.min(Math.max((now - startedAt) / 10, firstPauseMs), pauseMsMax);
    // Many processes may wait for the same server: jitter keeps them from retrying at the same time.
    await delay(pauseMs * (0.5 + Math.random() / 2), undefined, signal ? { signal } : {});
  }
}
