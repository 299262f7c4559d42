import { setTimeout } from 'node:timers/promises';
import { steadyNow, type Call, type RecentWorkspaces } from '@roster/bus';

interface Options {
  /** As `performance.now()`. */
  now: () => number;
  wait: (ms: number) => Promise<unknown>;
}

const defaults: Options = { now: () => performance.now(), wait: (ms) => setTimeout(ms) };

/**
 * Pauses between the slices of a call that is handled in slices. Each keeps the event loop and PostgreSQL busy: while other
 * workspaces are active, a slice is followed by a pause that is as long as the slice took. There are none after a quarter of the
 * time until the deadline.
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
      await wait(takenMs);
    this.#sliceAt = now();
  }
}
