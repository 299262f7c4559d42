import { setTimeout } from 'node:timers/promises';
import { steadyNow, type Call, type RecentWorkspaces } from '@roster/bus';

interface Options {
  /** As `performance.now()`. */
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
}

/** A pause is part of a transaction: it must be much shorter than an idle transaction is allowed to be (see `WaitLimits`). */
const pauseMaxMs = 1000;

const defaults: Options = { now: () => performance.now(), wait: (ms) => setTimeout(ms) };

/**
 * Pauses between the slices of a call that is handled in slices. Each keeps the event loop and PostgreSQL busy: while other
 * workspaces are active, a slice is followed by a pause that is as long as the slice took, and a second at most. There are none
 * after a quarter of the time until the deadline.
 */
export class Pauses {
  readonly #callers: Pick<RecentWorkspaces, 'isOtherActive'>;
  readonly #workspaceId: string;
  readonly #options: Options;
  readonly #endAt: number;
  #sliceAt: number | undefined;

  /** @param callers the workspaces of received calls */
  constructor(
    callers: Pick<RecentWorkspaces, 'isOtherActive'>,
    { caller, deadline }: Pick<Call, 'caller' | 'deadline'>,
    options: Partial<Options> = {},
  ) {
    this.#callers = callers;
    this.#workspaceId = caller.workspaceId;
    this.#options = { ...defaults, ...options };
    this.#endAt = this.#options.now() + (deadline - steadyNow()) / 4;
  }

  /** Resolves when the next slice may be handled. */
  async beforeSlice(): Promise<void> {
    const { now, wait } = this.#options;
    const at = now();
    const takenMs = this.#sliceAt === undefined ? 0 : at - this.#sliceAt;
    if (takenMs > 0 && at < this.#endAt && this.#callers.isOtherActive(this.#workspaceId, at))
      await wait(Math.min(takenMs, pauseMaxMs, this.#endAt - at));
    this.#sliceAt = now();
  }
}
