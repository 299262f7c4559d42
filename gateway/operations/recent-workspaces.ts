/** The two workspaces that made requests last: enough to know whether another one than a given workspace is active. */
export class RecentWorkspaces {
  #last = { workspaceId: '', at: -Infinity };
  #before = { workspaceId: '', at: -Infinity };

  /** A request of the workspace arrived. */
  add(workspaceId: string, now: number): void {
    if (this.#last.workspaceId !== workspaceId) {
      [this.#last, this.#before] = [this.#before, this.#last];
      this.#last.workspaceId = workspaceId;
    }
    this.#last.at = now;
  }

  /** When another workspace made a request last. */
  otherAt(workspaceId: string): number {
    return (this.#last.workspaceId === workspaceId ? this.#before : this.#last).at;
  }
}
