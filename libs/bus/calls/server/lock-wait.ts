import { AsyncLocalStorage } from 'node:async_hooks';

/** How long the statements of a batch wait for locks. */
export interface LockWait {
  /** Milliseconds; undefined for the limit of the database. */
  ms: number | undefined;
  /** The value of `ms` after a statement has reached the limit. */
  nextMs: number;
  /** Calls of a workspace that reaches the limit are handled separately from those of other workspaces. */
  defers: boolean;
}

/** Enough for the transactions of other processes to commit. */
export const shortLockMs = 500;

export const patientLockWait = (): LockWait => ({
  ms: undefined,
  nextMs: shortLockMs,
  defers: false,
});

export const deferringLockWait = (ms: number): LockWait => ({
  ms,
  // Up to 64 workspaces are then handled separately, to find the one that waits.
  nextMs: 20,
  defers: true,
});

const current = new AsyncLocalStorage<LockWait | undefined>();

export const currentLockWait = (): LockWait | undefined => current.getStore();

/** Runs `work` with a limit for the lock waits of its statements, including those that it starts asynchronously. */
export const withLockWait = <T>(wait: LockWait | undefined, work: () => T): T =>
  current.run(wait, work);
