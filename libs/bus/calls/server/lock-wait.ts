import { AsyncLocalStorage } from 'node:async_hooks';

/** The client sends calls that wait longer again: those of other workspaces do not wait for them. */
const batchMs = 100;
/** Up to 64 workspaces are then handled separately, to find the one that waits. */
const againMs = 20;

/** How long the statements of a batch wait for locks. */
export class LockWait {
  /** Milliseconds for a batch that has not reached the limit yet. */
  readonly limitMs: number;
  #ms: number;

  constructor(limitMs = batchMs) {
    this.limitMs = limitMs;
    this.#ms = limitMs;
  }

  get ms(): number {
    return this.#ms;
  }

  /** A statement has reached the limit: what is handled again waits only briefly. */
  shorten(): void {
    this.#ms = Math.min(againMs, this.limitMs);
  }
}

const current = new AsyncLocalStorage<LockWait | undefined>();

export const currentLockWait = (): LockWait | undefined => current.getStore();

/** Runs `work` with a limit for the lock waits of its statements, including those that it starts asynchronously. */
export const withLockWait = <T>(wait: LockWait | undefined, work: () => T): T =>
  current.run(wait, work);
