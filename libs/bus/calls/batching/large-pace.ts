import { RecentWorkspaces, workShare } from '../../recent-workspaces.js';

/**
 * The longest pause is much shorter than the usual deadline of calls: after a call that took its whole deadline, all further calls
 * of the workspace would otherwise be late.
 */
const pauseMaxMs = 1000;

interface Last {
  /** Several, if they were sent while no other workspace was active. */
  inFlight: number;
  /** Of the latest call. */
  startedAt: number;
  /** Infinity while calls are in flight. */
  nextAt: number;
}

/**
 * When calls with large results are sent: while other workspaces are active, those of a workspace one at a time, each followed by a
 * pause, so that they take `workShare` of the time. Reading and sending a large result keeps several processes busy, and calls of
 * others wait in each of them. All times are `performance.now()`.
 */
export class LargePace {
  readonly #recent = new RecentWorkspaces();
  /** The last calls, by workspace, until the next one may be sent. */
  readonly #last = new Map<string, Last>();

  /** A call of any size was made. Look-ups of keys have no workspace: they precede the calls of any. */
  called(workspaceId: string, now: number): void {
    if (workspaceId !== '') this.#recent.add(workspaceId, now);
  }

  mayStart(workspaceId: string, now: number): boolean {
    const last = this.#last.get(workspaceId);
    return !last || last.nextAt <= now || !this.#recent.isOtherActive(workspaceId, now);
  }

  started(workspaceId: string, now: number): void {
    const { inFlight = 0 } = this.#last.get(workspaceId) ?? {};
    this.#last.set(workspaceId, { inFlight: inFlight + 1, startedAt: now, nextAt: Infinity });
  }

  /** A call was answered, or failed. */
  ended(workspaceId: string, now: number): void {
    const last = this.#last.get(workspaceId);
    if (!last) return;
    last.inFlight -= 1;
    if (last.inFlight > 0) return;
    const pauseMs = (now - last.startedAt) * (1 / workShare - 1);
    last.nextAt = now + Math.min(pauseMs, pauseMaxMs);
  }

  /** Forgets workspaces whose next call may be sent. */
  expire(now: number): void {
    for (const [workspaceId, { nextAt }] of this.#last)
      if (nextAt <= now) this.#last.delete(workspaceId);
  }
}
