/** Kubernetes objects that depend on which components are chosen. */

export type Value = string | number | boolean | null | Value[] | { [key: string]: Value };

/** What is there without components, and what each component makes of it. Undefined where it is absent. */
export interface Conditional {
  base: Value | undefined;
  /** Only components that change it. */
  changed: ReadonlyMap<string, Value | undefined>;
}

/** A part of an object: the same whatever is chosen, or divided into the parts that differ. */
export type Tree =
  | { kind: 'same'; value: Value }
  | { kind: 'map'; entries: [key: string, Presence, Tree][] }
  | { kind: 'list'; items: [Presence, Tree][] }
  /** The value of the first chosen component, or else the other one. */
  | { kind: 'choice'; of: [component: string, Value][]; otherwise: Value | undefined };

/** Present by default unless one of the components is chosen, or only if one of them is. */
export interface Presence {
  byDefault: boolean;
  components: readonly string[];
}

export const always: Presence = { byDefault: true, components: [] };

/** Divides an object as little as its differences allow. */
export function divide({ base, changed }: Conditional): Tree {
  const present = [...changed].flatMap(([component, value]) =>
    value === undefined || isSame(value, base) ? [] : [[component, value] as const],
  );
  const values = base === undefined ? present.map(([, value]) => value) : [base];
  const [first] = values;
  if (first === undefined) throw new Error('A part that nothing contains.');
  if (present.every(([, value]) => isSame(value, first))) return { kind: 'same', value: first };
  const all = [first, ...present.map(([, value]) => value)];
  if (all.every((value) => Array.isArray(value)))
    return { kind: 'list', items: divideItems(base as Value[] | undefined, present) };
  if (all.every((value) => isMap(value))) {
    const maps = all as Record<string, Value>[];
    const keys = [...new Set(maps.flatMap((map) => Object.keys(map)))];
    const entries = keys.map((key): [string, Presence, Tree] => [
      key,
      ...divided(base === undefined ? [] : [base], present, (value) =>
        isMap(value) ? value[key] : undefined,
      ),
    ]);
    return { kind: 'map', entries };
  }
  return { kind: 'choice', of: present.map(([...pair]) => pair), otherwise: base };
}

/** Items are the same if they have the same name, or, without one, the same content. */
function divideItems(
  base: Value[] | undefined,
  present: readonly (readonly [string, Value])[],
): [Presence, Tree][] {
  const lists = [...(base ? [base] : []), ...present.map(([, value]) => value as Value[])];
  return [...new Set(lists.flatMap((list) => list.map(identity)))].map((id) =>
    divided(base ? [base] : [], present, (list) =>
      (list as Value[]).find((item) => identity(item) === id),
    ),
  );
}

function divided(
  [base]: readonly Value[],
  present: readonly (readonly [string, Value])[],
  part: (value: Value) => Value | undefined,
): [Presence, Tree] {
  const inBase = base === undefined ? undefined : part(base);
  const changed = new Map(present.map(([component, value]) => [component, part(value)]));
  const components = [...changed]
    .filter(([, value]) => (value === undefined) === (inBase !== undefined))
    .map(([component]) => component);
  return [{ byDefault: inBase !== undefined, components }, divide({ base: inBase, changed })];
}

/** The object with these components. The templates of the chart state the same in Helm's language. */
export function choose(tree: Tree, chosen: ReadonlySet<string>): Value {
  const isPresent = ({ byDefault, components }: Presence) =>
    components.some((component) => chosen.has(component)) !== byDefault;
  if (tree.kind === 'same') return tree.value;
  if (tree.kind === 'map')
    return Object.fromEntries(
      tree.entries.flatMap(([key, presence, part]) =>
        isPresent(presence) ? [[key, choose(part, chosen)]] : [],
      ),
    );
  if (tree.kind === 'list')
    return tree.items.flatMap(([presence, part]) =>
      isPresent(presence) ? [choose(part, chosen)] : [],
    );
  const value = tree.of.find(([component]) => chosen.has(component))?.[1] ?? tree.otherwise;
  if (value === undefined) throw new Error('A part without a value.');
  return value;
}

export const isMap = (value: Value | undefined): value is Record<string, Value> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (a: Value | undefined, b: Value | undefined): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

function identity(item: Value): string {
  const name = isMap(item) ? (item.mountPath ?? item.name) : undefined;
  return JSON.stringify(name ?? item);
}
