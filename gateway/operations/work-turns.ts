/**
 * Divides work that would occupy the event loop for long into slices, of which few are done in each of its turns: other requests
 * wait for these only. Workspaces take turns.
 */
export class WorkTurns {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  readonly #turnMs: number;
  /** Whether slices are given, now or in the next turn of the event loop. */
  #isGiving = false;

  /** @param turnMs for how long slices are given in one turn of the event loop; the last of them may take longer */
  constructor(turnMs = 2) {
    this.#turnMs = turnMs;
  }

  /** Resolves when the next slice of the workspace may be done. It ends with the turn of the event loop. */
  next(workspaceId: string): Promise<void> {
    let own = this.#waiting.get(workspaceId);
    if (!own) this.#waiting.set(workspaceId, (own = []));
    if (!this.#isGiving) this.#schedule();
    return new Promise((resolve) => own.push(resolve));
  }

  #schedule(): void {
    this.#isGiving = true;
    setImmediate(() => this.#give(performance.now() + this.#turnMs));
  }

  #give(endsAt: number): void {
    const [workspaceId, own] = this.#waiting.entries().next().value!;
    own.shift()!();
    this.#waiting.delete(workspaceId);
    if (own.length > 0) this.#waiting.set(workspaceId, own);
    this.#isGiving = this.#waiting.size > 0;
    // The slice is done in microtasks. The next tick follows when there are none left.
    if (this.#isGiving) queueMicrotask(() => process.nextTick(() => this.#goOn(endsAt)));
  }

  #goOn(endsAt: number): void {
    if (performance.now() < endsAt) this.#give(endsAt);
    else this.#schedule();
  }
}
