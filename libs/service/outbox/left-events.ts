/** Maximum number of workspaces. Events of further ones are published in the order of their age. */
const workspacesMax = 1000;

/** A workspace with unpublished events. */
export interface LeftWorkspace {
  workspaceId: string;
  /** None of its events with a lower ID is left. */
  firstId: string;
}

/**
 * The workspaces of the events that this process left to the sweeper. A sweep finds the events of each by primary key, however
 * many events of other workspaces are older.
 */
export class LeftEvents {
  readonly #firstIds = new Map<string, string>();

  /** Adds a workspace, or an earlier event of it. */
  add({ workspaceId, firstId }: LeftWorkspace): void {
    const known = this.#firstIds.get(workspaceId);
    const isKept = known === undefined ? this.#firstIds.size < workspacesMax : firstId < known;
    if (isKept) this.#firstIds.set(workspaceId, firstId);
  }

  /** Removes the workspaces that were added first, except some. */
  take(count: number, except: ReadonlySet<string>): LeftWorkspace[] {
    const taken: LeftWorkspace[] = [];
    for (const [workspaceId, firstId] of this.#firstIds) {
      if (taken.length === count) break;
      if (except.has(workspaceId)) continue;
      taken.push({ workspaceId, firstId });
      this.#firstIds.delete(workspaceId);
    }
    return taken;
  }

  clear(): void {
    this.#firstIds.clear();
  }
}
