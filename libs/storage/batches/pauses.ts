import { setTimeout } from 'node:timers/promises';
import { steadyNow, workShare, type Call, type RecentWorkspaces } from '@roster/bus';

interface Options {
  /** As `performance.now()`. */
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
}

/** A pause is part of a transaction: it must be much shorter than an idle transaction is allowed to be (see `WaitLimits`). */
const pauseMaxMs = 1000;

const defaults: Options = { now: () => performance.now(), wait: (ms) => setTimeout(ms) };

type PausedCall = Pick<Call, 'caller' | 'deadline'>;

/**
 * Pauses between the slices of calls that are handled in slices. Each keeps the event loop and PostgreSQL busy: while other
 * workspaces are active, the slices of a workspace take at most `workShare` of the time, in all of its calls together.
 */
export class Pauses {
  readonly #callers: Pick<RecentWorkspaces, 'isOtherActive'>;
  readonly #options: Options;
  /** When the next slice of a workspace may be handled. */
  readonly #resumeAt = new Map<string, number>();

  /** @param callers the workspaces of received calls */
  constructor(callers: Pick<RecentWorkspaces, 'isOtherActive'>, options: Partial<Options> = {}) {
    this.#callers = callers;
    this.#options = { ...defaults, ...options };
  }

  /** Number of workspaces whose next slice waits, or would wait. */
  get size(): number {
    return this.#resumeAt.size;
  }

  /**
   * Handles the slices of a call in order. Each can take its time until it is called for the next one. A pause takes a
   * second at most, and there are none after a quarter of the time until the deadline.
   */
  async handle<Slice>(
    { caller: { workspaceId }, deadline }: PausedCall,
    slices: Iterable<Slice>,
    handleOne: (slice: Slice) => Promise<void>,
  ): Promise<void> {
    const { now, wait } = this.#options;
    const endAt = now() + (deadline - steadyNow()) / 4;
    for (const slice of slices) {
      const at = now();
      const untilMs = Math.min(this.#resumeAt.get(workspaceId) ?? at, endAt) - at;
      const pauseMs = Math.min(untilMs, pauseMaxMs);
      if (pauseMs > 0 && this.#callers.isOtherActive(workspaceId, at)) await wait(pauseMs);
      const startedAt = now();
      try {
        await handleOne(slice);
      } finally {
        this.#worked(workspaceId, startedAt, now());
      }
    }
  }

  #worked(workspaceId: string, startedAt: number, endedAt: number): void {
    for (const [one, resumeAt] of this.#resumeAt)
      if (resumeAt <= endedAt) this.#resumeAt.delete(one);
    this.#resumeAt.set(workspaceId, startedAt + (endedAt - startedAt) / workShare);
  }
}
