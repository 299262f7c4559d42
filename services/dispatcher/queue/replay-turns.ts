/** Steps per second of all replays of a workspace together. */
const stepsMax = 4;
const secondMs = 1000;
const rememberedMax = 1000;

/** The order in which workspaces have steps of their replays: in turn, whatever the number of replays of each. */
export class ReplayTurns {
  /** Times of the last steps of each workspace, in the order of the last step. */
  readonly #steps = new Map<string, number[]>();

  /** Workspaces that had steps, in the order of their turns. */
  get served(): string[] {
    return [...this.#steps.keys()];
  }

  /** Workspaces that had the maximum number of steps in the last second. */
  exhausted(now: number): string[] {
    return [...this.#steps].flatMap(([id, moments]) =>
      moments.length === stepsMax && now - moments[0]! < secondMs ? [id] : [],
    );
  }

  note(workspaceId: string, now: number): void {
    const moments = this.#steps.get(workspaceId) ?? [];
    this.#steps.delete(workspaceId);
    this.#steps.set(workspaceId, [...moments, now].slice(-stepsMax));
    if (this.#steps.size > rememberedMax) this.#steps.delete(this.#steps.keys().next().value!);
  }
}
