import type { ContactOperation } from '@roster/contracts';
import { idName, namesOf } from './names-of.js';

/**
 * Divides operations into rounds, given as indexes. A round contains at most one operation of each contact. Operations concern
 * the same contact if they name the same ID, address or external ID, if one names the address of the contact whose ID the other
 * names, or if further operations connect them in this way.
 *
 * @param holders IDs of the contacts that have the addresses and external IDs of the operations, by their names
 */
export function roundsOf(
  operations: readonly ContactOperation[],
  holders: ReadonlyMap<string, string>,
): number[][] {
  const groups = new Groups();
  for (const operation of operations) groups.join(namesOf(operation));
  for (const [name, id] of holders) groups.join([name, idName(id)]);
  const counts = new Map<string, number>();
  const rounds: number[][] = [];
  for (const [index, operation] of operations.entries()) {
    const group = groups.of(namesOf(operation)[0]!);
    const round = counts.get(group) ?? 0;
    counts.set(group, round + 1);
    (rounds[round] ??= []).push(index);
  }
  return rounds;
}

/** Names that belong together, found by a representative of each group. */
class Groups {
  readonly #parents = new Map<string, string>();

  of(name: string): string {
    let root = name;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root))
      root = next;
    // Keeps the paths of later look-ups short.
    if (root !== name) this.#parents.set(name, root);
    return root;
  }

  join([first, ...others]: readonly string[]): void {
    for (const other of others) {
      const [a, b] = [this.of(first!), this.of(other)];
      if (a !== b) this.#parents.set(b, a);
    }
  }
}
