import { RecentWorkspaces, workShare } from '@roster/bus';

/** Resolves when the next slice of a request may be done. It ends with the turn of the event loop. */
export type NextSlice = () => Promise<void>;

interface Options {
  /** For how long slices are given in one turn of the event loop; the last of them may take longer. */
  turnMs: number;
  /** Share of the event loop's time for the slices of all workspaces together, while other workspaces are active. */
  share: number;
  /** As `share`, for those of one workspace. */
  workspaceShare: number;
  /** As `performance.now()`. */
  now: () => number;
  /** Calls a function in the next turn of the event loop, or after a pause. */
  later: (work: () => void, pauseMs: number) => void;
}

const defaults: Options = {
  turnMs: 1,
  share: 1 / 3,
  workspaceShare: workShare,
  now: () => performance.now(),
  // A timer fires after a millisecond at the earliest.
  later: (work, pauseMs) => void (pauseMs < 1 ? setImmediate(work) : setTimeout(work, pauseMs)),
};

/**
 * Divides work that would occupy the event loop for long into slices. Few are given in a turn of the event loop, to the workspaces
 * in turn. Other requests wait for these only. As each of them waits several times, once for each step on its way, slices are
 * followed by pauses while other workspaces are active.
 */
export class WorkTurns {
  readonly #options: Options;
  /** By workspace, in the order of their turns, and by the number of the request. */
  readonly #waiting = new Map<string, Map<number, (() => void)[]>>();
  readonly #recent = new RecentWorkspaces();
  #requests = 0;
  /** Whether slices are given, now or later. */
  #isGiving = false;
  #resumeAt = -Infinity;
  /** When the next slice of a workspace may be given, if it has taken its share. */
  readonly #resumeAtOf = new Map<string, number>();
  /** The time that workspaces have taken in this turn of the event loop. */
  readonly #takenMs = new Map<string, number>();

  constructor(options: Partial<Options> = {}) {
    this.#options = { ...defaults, ...options };
  }

  /** Called for every request, with or without slices. */
  requested(workspaceId: string): void {
    this.#recent.add(workspaceId, this.#options.now());
  }

  /**
   * The slices of a request. Of the requests of a workspace, the one that began first is continued, so that few are in memory
   * with parts of their results.
   */
  begin(workspaceId: string): NextSlice {
    const request = this.#requests++;
    return () => new Promise((give) => this.#add(workspaceId, request, give));
  }

  #add(workspaceId: string, request: number, give: () => void): void {
    let requests = this.#waiting.get(workspaceId);
    if (!requests) this.#waiting.set(workspaceId, (requests = new Map<number, (() => void)[]>()));
    const slices = requests.get(request);
    if (slices) slices.push(give);
    else requests.set(request, [give]);
    if (!this.#isGiving) this.#schedule();
  }

  #schedule(): void {
    const { now, later } = this.#options;
    this.#isGiving = true;
    const first = Math.min(...[...this.#waiting.keys()].map((one) => this.#resumeTimeOf(one)));
    later(() => this.#give(now()), Math.max(this.#resumeAt, first) - now());
  }

  #resumeTimeOf(workspaceId: string): number {
    return this.#resumeAtOf.get(workspaceId) ?? -Infinity;
  }

  /** The next workspace that waits and has not taken its share. */
  #nextWorkspace(at: number): string | undefined {
    for (const workspaceId of this.#waiting.keys())
      if (this.#resumeTimeOf(workspaceId) <= at) return workspaceId;
    return undefined;
  }

  /** @param startedAt when the first slice of this turn of the event loop was given */
  #give(startedAt: number): void {
    const workspaceId = this.#nextWorkspace(startedAt);
    // A timer can fire early by a fraction of a millisecond.
    if (workspaceId === undefined) return this.#schedule();
    const requests = this.#waiting.get(workspaceId)!;
    const request = Math.min(...requests.keys());
    const slices = requests.get(request)!;
    const sliceAt = this.#options.now();
    slices.shift()!();
    if (slices.length === 0) requests.delete(request);
    this.#waiting.delete(workspaceId);
    if (requests.size > 0) this.#waiting.set(workspaceId, requests);
    // The slice is done in microtasks. The next tick follows when there are none left.
    queueMicrotask(() =>
      process.nextTick(() => this.#afterSlice(workspaceId, { startedAt, sliceAt })),
    );
  }

  #afterSlice(
    workspaceId: string,
    { startedAt, sliceAt }: { startedAt: number; sliceAt: number },
  ): void {
    const at = this.#options.now();
    const takenMs = (this.#takenMs.get(workspaceId) ?? 0) + at - sliceAt;
    this.#takenMs.set(workspaceId, takenMs);
    if (at - startedAt < this.#options.turnMs && this.#nextWorkspace(startedAt) !== undefined)
      return this.#give(startedAt);
    this.#endTurn(startedAt, at);
    if (this.#waiting.size > 0) this.#schedule();
    else this.#isGiving = false;
  }

  #endTurn(startedAt: number, endedAt: number): void {
    const { share, workspaceShare } = this.#options;
    for (const [workspaceId, resumeAt] of this.#resumeAtOf)
      if (resumeAt <= endedAt) this.#resumeAtOf.delete(workspaceId);
    for (const [workspaceId, takenMs] of this.#takenMs) {
      if (!this.#recent.isOtherActive(workspaceId, startedAt)) continue;
      this.#resumeAt = startedAt + (endedAt - startedAt) / share;
      this.#resumeAtOf.set(workspaceId, startedAt + takenMs / workspaceShare);
    }
    this.#takenMs.clear();
  }
}
