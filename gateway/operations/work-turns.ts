import { RecentWorkspaces } from '@roster/bus';

/** Resolves when the next slice of a request may be done. It ends with the turn of the event loop. */
export type NextSlice = () => Promise<void>;

interface Options {
  /** For how long slices are given in one turn of the event loop; the last of them may take longer. */
  turnMs: number;
  /** Of the time of the event loop, for the slices of all workspaces together, while other workspaces are active. */
  share: number;
  /** As `performance.now()`. */
  now: () => number;
  /** Calls a function in the next turn of the event loop, or after a pause. */
  later: (work: () => void, pauseMs: number) => void;
}

const defaults: Options = {
  turnMs: 2,
  share: 1 / 3,
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
    later(() => this.#give(now()), this.#resumeAt - now());
  }

  /** @param startedAt when the first slice of this turn of the event loop was given */
  #give(startedAt: number): void {
    const [workspaceId, requests] = this.#waiting.entries().next().value!;
    const request = Math.min(...requests.keys());
    const slices = requests.get(request)!;
    slices.shift()!();
    if (slices.length === 0) requests.delete(request);
    this.#waiting.delete(workspaceId);
    if (requests.size > 0) this.#waiting.set(workspaceId, requests);
    // The slice is done in microtasks. The next tick follows when there are none left.
    queueMicrotask(() => process.nextTick(() => this.#afterSlice(workspaceId, startedAt)));
  }

  #afterSlice(workspaceId: string, startedAt: number): void {
    const { turnMs, share, now } = this.#options;
    const takenMs = now() - startedAt;
    const isWaiting = this.#waiting.size > 0;
    if (isWaiting && takenMs < turnMs) return this.#give(startedAt);
    if (this.#recent.isOtherActive(workspaceId, startedAt))
      this.#resumeAt = startedAt + takenMs / share;
    if (isWaiting) this.#schedule();
    else this.#isGiving = false;
  }
}
