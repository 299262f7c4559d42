/**
 * Divides work that would occupy the event loop for long: one slice is done in each of its turns, so that other requests wait for
 * one slice at most. Workspaces take turns.
 */
export class WorkTurns {
  /** In the order of their turns. */
  readonly #waiting = new Map<string, (() => void)[]>();
  #isScheduled = false;

  /** Resolves when the next slice of the workspace may be done. It ends with the turn of the event loop. */
  next(workspaceId: string): Promise<void> {
    let own = this.#waiting.get(workspaceId);
    if (!own) this.#waiting.set(workspaceId, (own = []));
    this.#schedule();
    return new Promise((resolve) => own.push(resolve));
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#give());
  }

  #give(): void {
    this.#isScheduled = false;
    const [workspaceId, own] = this.#waiting.entries().next().value!;
    own.shift()!();
    this.#waiting.delete(workspaceId);
    if (own.length > 0) this.#waiting.set(workspaceId, own);
    if (this.#waiting.size > 0) this.#schedule();
  }
}
