/**
 * How many more units of a bounded resource a workspace may take: until it has as many as are free. Other workspaces always find
 * some: one busy workspace takes half, two take a third each.
 *
 * @param free units that no workspace has
 * @param own units that this workspace has
 */
export function fairShare(free: number, own: number): number {
  if (free <= 0) return 0;
  return Math.max(own === 0 ? 1 : 0, Math.ceil((free - own) / 2));
}

/** A number for each key. Keys whose number is 0 are not stored. */
export class Counts {
  readonly #counts = new Map<string, number>();

  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  keys(): IterableIterator<string> {
    return this.#counts.keys();
  }

  entries(): IterableIterator<[key: string, count: number]> {
    return this.#counts.entries();
  }

  add(key: string, count = 1): void {
    const now = this.of(key) + count;
    if (now === 0) this.#counts.delete(key);
    else this.#counts.set(key, now);
  }
}
