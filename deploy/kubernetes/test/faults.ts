import type { Manifests } from './build/manifests.js';
import { type Variant, variant } from './build/variants.js';
import { testBuilt } from './built.js';

export const demo = variant('overlays/demo');
export const production = variant('overlays/production');

/** A change that a check must detect, and the findings it must report. */
interface Fault {
  /** Completes "finds …". */
  what: string;
  /** The demo by default. */
  of?: Variant;
  change: (manifests: Manifests) => void;
  findings: string[];
}

/** One test per fault: the check finds nothing before the change, and only the fault after it. */
export function testFaults(
  check: (manifests: Manifests) => string[] | Promise<string[]>,
  faults: readonly Fault[],
): void {
  for (const { what, of = demo, change, findings } of faults) {
    testBuilt(`finds ${what}`, of, async (t, manifests) => {
      t.deepEqual(await check(manifests), []);
      change(manifests);
      t.deepEqual(await check(manifests), findings);
    });
  }
}

/** Sets a field, or removes it by `undefined`: `set('Deployment gateway', 'spec.replicas', 2)`. */
export const set =
  (object: string, path: string, value: unknown) =>
  (manifests: Manifests): void => {
    const [kind = '', name = ''] = object.split(' ');
    const fields = path.split('.');
    const last = fields.pop() ?? '';
    let parent = manifests.get(kind, name) as unknown as Record<string, unknown>;
    for (const field of fields) {
      parent[field] ??= {};
      parent = parent[field] as Record<string, unknown>;
    }
    if (value === undefined) delete parent[last];
    else parent[last] = value;
  };

export const remove =
  (object: string) =>
  (manifests: Manifests): void => {
    const index = manifests.all.findIndex(
      ({ kind, metadata }) => object === `${kind} ${metadata.name}`,
    );
    if (index < 0) throw new Error(`There is no ${object}.`);
    manifests.all.splice(index, 1);
  };

/** Appends to a list: `add('Deployment gateway', 'spec.template.spec.volumes', { … })`. */
export const add =
  (object: string, path: string, entry: unknown) =>
  (manifests: Manifests): void => {
    const [kind = '', name = ''] = object.split(' ');
    let found: unknown = manifests.get(kind, name);
    for (const field of path.split('.')) found = (found as Record<string, unknown>)[field];
    if (Array.isArray(found)) found.push(entry);
    else set(object, path, [entry])(manifests);
  };
