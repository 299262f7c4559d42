/** A workspace is active for this long after a call. */
const activeMs = 100;

/** The two workspaces that made calls last: enough to know whether another one than a given workspace is active. */
export class RecentWorkspaces {
  #last = { workspaceId: '', at: -Infinity };
  #before = { workspaceId: '', at: -Infinity };

  /** @param now as `performance.now()` */
  add(workspaceId: string, now: number): void {
    if (this.#last.workspaceId !== workspaceId) {
      [this.#last, this.#before] = [this.#before, this.#last];
      this.#last.workspaceId = workspaceId;
    }
    this.#last.at = now;
  }

  /** Whether another workspace is active. */
  isOtherActive(workspaceId: string, now: number): boolean {
    const other = this.#last.workspaceId === workspaceId ? this.#before : this.#last;
    return other.at > now - activeMs;
  }
}

/**
 * The share of a process's time that expensive work of one workspace takes while other workspaces are active: slices of batches,
 * exports and imports. Each is followed by a pause in proportion to what it took.
 */
export const workShare = 1 / 5;
