/** Memory for large answers of all workspaces, from the request until the answer is read. */
const bytesMax = 24 * 1024 * 1024;
/** Maximum share of one workspace. */
const workspaceBytesMax = 16 * 1024 * 1024;

/** Bounds the bytes of large answers that a process has requested and not passed on yet. */
export class AnswerMemory {
  readonly #taken = new Map<string, number>();
  #total = 0;

  /** Whether memory is reserved for an answer to the workspace. */
  holds(workspaceId: string): boolean {
    return this.#taken.has(workspaceId);
  }

  /**
   * Reserves memory, if enough is free. A single answer may exceed the maximum.
   *
   * @returns the function that ends the reservation
   */
  take(workspaceId: string, bytes: number): (() => void) | undefined {
    const own = this.#taken.get(workspaceId) ?? 0;
    if (this.#total > 0 && this.#total + bytes > bytesMax) return undefined;
    if (own > 0 && own + bytes > workspaceBytesMax) return undefined;
    this.#total += bytes;
    this.#taken.set(workspaceId, own + bytes);
    let given = true;
    return () => {
      if (!given) return;
      given = false;
      this.#total -= bytes;
      const left = this.#taken.get(workspaceId)! - bytes;
      if (left > 0) this.#taken.set(workspaceId, left);
      else this.#taken.delete(workspaceId);
    };
  }
}
