/** Steps of one workspace in a second, of all its replays: each goes on at this pace together. */
const stepsMax = 4;
const secondMs = 1000;
const rememberedMax = 1000;

/** Whose replay has the next step: workspaces take turns, however many replays each has. */
export class ReplayTurns {
  /** Moments of the last steps of each workspace. The one whose step was longest ago comes first. */
  readonly #steps = new Map<string, number[]>();

  /** Workspaces that had steps, the one whose turn it is first. */
  get served(): string[] {
    return [...this.#steps.keys()];
  }

  /** Workspaces that have had their steps of this second. */
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
