import type { Bus } from '@roster/bus';
import { uuidOf, type ContactPropertyType } from '@roster/contracts';

/** Maximum number of names, over all workspaces. A workspace has at most as many as it has definitions. */
const namesMax = 50_000;

/**
 * Names of defined properties, with their types, so that contacts with known names need no look-up. Bounded: the names of the
 * workspaces added first are evicted first, at the cost of a look-up.
 */
export class DefinitionCache {
  readonly #names = new Map<string, Map<string, ContactPropertyType>>();
  #size = 0;
  #changes = 0;

  /** Changes with every deletion, and every change of a type. */
  get version(): number {
    return this.#changes;
  }

  /** Number of names. */
  get size(): number {
    return this.#size;
  }

  has(workspaceId: string, name: string): boolean {
    return this.typeOf(workspaceId, name) !== undefined;
  }

  /** Undefined for an unknown name. */
  typeOf(workspaceId: string, name: string): ContactPropertyType | undefined {
    return this.#names.get(workspaceId)?.get(name);
  }

  /** @param version read before the names: a definition read before a deletion may have been deleted */
  add(
    workspaceId: string,
    types: Iterable<readonly [name: string, type: ContactPropertyType]>,
    version: number,
  ): void {
    if (version !== this.#changes) return;
    let known = this.#names.get(workspaceId);
    if (!known) this.#names.set(workspaceId, (known = new Map()));
    const before = known.size;
    for (const [name, type] of types) known.set(name, type);
    this.#size += known.size - before;
    for (const oldest of this.#names.keys()) {
      if (this.#size <= namesMax) return;
      this.#drop(oldest);
    }
  }

  /** A definition of the workspace was deleted, or its type changed. */
  forget(workspaceId: string): void {
    this.#changes += 1;
    this.#drop(workspaceId);
  }

  forgetAll(): void {
    this.#changes += 1;
    this.#names.clear();
    this.#size = 0;
  }

  #drop(workspaceId: string): void {
    this.#size -= this.#names.get(workspaceId)?.size ?? 0;
    this.#names.delete(workspaceId);
  }
}

/** A cache that receives broadcasts of deletions by other processes. Broadcasts are lost while NATS is unreachable. */
export function openDefinitionCache(bus: Bus): DefinitionCache {
  const cache = new DefinitionCache();
  bus.listen('contact-properties.deleted', ({ workspaceId }) =>
    cache.forget(uuidOf('workspace', workspaceId)),
  );
  bus.link.onChange(() => cache.forgetAll());
  return cache;
}
