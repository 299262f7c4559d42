import { contactPropertiesMax, invalidFields, pointerTo, type Fault } from '@roster/contracts';
import { caseless, tooManyDefinitions, type LockedDefinitions } from './definition-rows.js';

/** By the index of a call. */
interface RoomHandlers {
  refuse: (index: number, refusal: Fault) => void;
  /** Handles calls together. Returns which of them defined their names. */
  handle: (indexes: number[]) => Promise<boolean[]>;
}

/**
 * Refuses the calls that a workspace has no room for, and handles the others together, in order. A call that only the names of
 * calls before it leave no room for is decided after these: those that are refused define nothing.
 *
 * @param brought the new names of each call
 *
 * @param refusals of the calls that are refused whatever room there is
 */
export async function inRoom(
  { total, found }: LockedDefinitions,
  brought: readonly string[][],
  { refuse, handle }: RoomHandlers,
  refusals: readonly (Fault | undefined)[],
): Promise<void> {
  const certain = new DefinitionRoom(found.keys(), contactPropertiesMax - total);
  let expected = certain.copy();
  let open: number[] = [];
  const handleOpen = async () => {
    const handled = open;
    open = [];
    if (handled.length === 0) return;
    const defined = await handle(handled);
    for (const [at, index] of handled.entries()) if (defined[at]) certain.add(brought[index]!);
    if (defined.includes(false)) expected = certain.copy();
  };
  for (const [index, names] of brought.entries()) {
    if (expected.refusalOf(names) && !certain.refusalOf(names)) await handleOpen();
    const refusal = refusals[index] ?? expected.refusalOf(names);
    if (refusal) {
      refuse(index, refusal);
      continue;
    }
    expected.add(names);
    open.push(index);
  }
  await handleOpen();
}

/** Which definitions a workspace may add: within the limit, and none that differs from another only by case. */
class DefinitionRoom {
  readonly #names: Set<string>;
  /** Names by their form without case. */
  readonly #spelling: Map<string, string>;
  #left: number;

  /**
   * @param names that are defined, of which several may differ only by case, from before that was refused
   *
   * @param left how many more names may be defined
   */
  constructor(names: Iterable<string>, left: number) {
    this.#names = new Set(names);
    this.#spelling = new Map([...this.#names].map((name) => [caseless(name), name]));
    this.#left = left;
  }

  copy(): DefinitionRoom {
    return new DefinitionRoom(this.#names, this.#left);
  }

  add(names: readonly string[]): void {
    for (const name of this.#added(names)) {
      this.#left -= 1;
      this.#names.add(name);
      this.#spelling.set(caseless(name), name);
    }
  }

  /** Why the names of a contact cannot be added. */
  refusalOf(names: readonly string[]): Fault | undefined {
    const added = this.#added(names);
    const spelling = new Map<string, string>();
    const errors = added.flatMap((name) => {
      const other = this.#spelling.get(caseless(name)) ?? spelling.get(caseless(name));
      spelling.set(caseless(name), name);
      if (other === undefined) return [];
      const message = `differs only by case from the contact property ${other}: use that name`;
      return [{ pointer: pointerTo(['properties', name]), message }];
    });
    if (errors.length > 0) return invalidFields(errors);
    return added.length > this.#left ? tooManyDefinitions : undefined;
  }

  #added(names: readonly string[]): string[] {
    return names.filter((name) => !this.#names.has(name));
  }
}
