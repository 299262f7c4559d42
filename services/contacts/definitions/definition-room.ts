import { contactPropertiesMax, invalidFields, pointerTo, type Fault } from '@roster/contracts';
import { caseless, tooManyDefinitions, type LockedDefinitions } from './definition-rows.js';

/** Which definitions a workspace may add: within the limit, and none that differs from another only by case. */
export class DefinitionRoom {
  readonly #names: Set<string>;
  /** Names by their form without case. */
  readonly #spelling: Map<string, string>;
  #left: number;

  /** @param locked of which the workspace may have several that differ only by case, from before that was refused */
  constructor({ total, found }: LockedDefinitions) {
    this.#names = new Set(found.keys());
    this.#spelling = new Map([...found.keys()].map((name) => [caseless(name), name]));
    this.#left = contactPropertiesMax - total;
  }

  /** Takes the names of a contact, or returns why it takes none of them. */
  take(names: readonly string[]): Fault | undefined {
    const added = names.filter((name) => !this.#names.has(name));
    const spelling = new Map<string, string>();
    const errors = added.flatMap((name) => {
      const other = this.#spelling.get(caseless(name)) ?? spelling.get(caseless(name));
      spelling.set(caseless(name), name);
      if (other === undefined) return [];
      const message = `differs only by case from the contact property ${other}: use that name`;
      return [{ pointer: pointerTo(['properties', name]), message }];
    });
    if (errors.length > 0) return invalidFields(errors);
    if (added.length > this.#left) return tooManyDefinitions;
    this.#left -= added.length;
    for (const name of added) {
      this.#names.add(name);
      this.#spelling.set(caseless(name), name);
    }
    return undefined;
  }
}
