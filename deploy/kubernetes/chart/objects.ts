/** The objects of the chart: those of the base with what each component changes, and those that components add. */
import { divide, isMap, type Tree, type Value } from './conditional.js';
import { isSecretName, settings } from './settings.js';
import { valueName, type Expressions } from './template.js';

/** The objects that kustomize builds, annotated with their source files (`originAnnotations`). */
export type Build = (components: readonly string[]) => Promise<readonly object[]>;

export interface ChartObject {
  /** `Deployment gateway`. */
  name: string;
  /** Its file, relative to the manifests: `base/gateway/deployment.yaml`. */
  file: string;
  /** Undefined for an object of the base. */
  component: string | undefined;
  tree: Tree;
}

interface Manifest {
  kind: string;
  metadata: {
    name: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    [field: string]: unknown;
  };
  [field: string]: unknown;
}

/** @param defaults receives the values of the chart, by their paths */
export async function readObjects(
  build: Build,
  components: readonly string[],
  expressions: Expressions,
  defaults: Map<string, Value>,
): Promise<ChartObject[]> {
  const prepare = async (component?: string) => {
    const found = plainNames(await build(component === undefined ? [] : [component]));
    return new Map(
      found.map(({ file, manifest }) => {
        const name = `${manifest.kind} ${manifest.metadata.name}`;
        const named = nameValues(manifest, name, component, expressions, defaults);
        return [name, { file, manifest: named }] as const;
      }),
    );
  };
  const base = await prepare();
  const all: (readonly [string, Awaited<ReturnType<typeof prepare>>])[] = [];
  for (const component of components) all.push([component, await prepare(component)]);
  const ofBase = [...base].map(([name, { file, manifest }]): ChartObject => {
    const changed = all.flatMap(([component, objects]) => {
      const other = objects.get(name)?.manifest as Value | undefined;
      return JSON.stringify(other) === JSON.stringify(manifest)
        ? []
        : [[component, other] as const];
    });
    const tree = divide({ base: manifest as Value, changed: new Map(changed) });
    return { name, file, component: undefined, tree };
  });
  const added = all.flatMap(([component, objects]) =>
    [...objects]
      .filter(([name]) => !base.has(name))
      .map(([name, { file, manifest }]): ChartObject => ({
        name,
        file,
        component,
        tree: { kind: 'same', value: manifest as Value },
      })),
  );
  return [...ofBase, ...added];
}

const origin = 'config.kubernetes.io/origin';

/** Without the hash in names of ConfigMaps, and with the label of all overlays. */
export function plainNames(objects: readonly object[]): { file: string; manifest: Manifest }[] {
  const hashed = new Map<string, string>();
  for (const { kind, metadata } of objects as Manifest[]) {
    const { name } = metadata;
    const plain = name.replace(/-[2456789bcdfghkmt]{10}$/, '');
    if (kind === 'ConfigMap' && plain !== name) hashed.set(name, plain);
  }
  return (objects as Manifest[]).map((object) => {
    const manifest = mapStrings(object as Value, (text) => hashed.get(text) ?? text) as Manifest;
    const {
      annotations: { [origin]: from = '', ...annotations } = {},
      labels,
      ...others
    } = manifest.metadata;
    const metadata = {
      ...others,
      labels: sorted({ ...labels, 'app.kubernetes.io/part-of': 'roster' }),
      ...(Object.keys(annotations).length > 0 && { annotations }),
    };
    return { file: fileOf(manifest, from), manifest: { ...manifest, metadata } };
  });
}

function fileOf({ metadata }: Manifest, from: string): string {
  const generated = /^configuredIn: (?:.*\/)?((?:base|components)\/.*)\/kustomization\.yaml$/m.exec(
    from,
  );
  if (generated) return `${generated[1]}/config-map-${metadata.name}.yaml`;
  const [, path] = /^path: (?:.*\/)?((?:base|components)\/.*)$/m.exec(from) ?? [];
  if (path === undefined) throw new Error(`An object without a source file: ${from}`);
  return path;
}

const sorted = (map: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(map).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/** Puts an expression in place of each value of the chart. */
function nameValues(
  manifest: Manifest,
  object: string,
  component: string | undefined,
  expressions: Expressions,
  defaults: Map<string, Value>,
): Manifest {
  const own = settings.filter(
    (setting) =>
      setting.object === object &&
      (setting.component === undefined || setting.component === component),
  );
  const namespace = expressions.name({ text: '.Release.Namespace', instead: 'roster' });
  const visit = (value: Value, path: string): Value => {
    const setting = own.find((one) => one.path === path);
    if (setting) {
      if (!defaults.has(setting.value)) defaults.set(setting.value, value);
      const block = typeof value === 'object';
      const text = `.Values.${setting.value}`;
      const inline = typeof value === 'number' ? `int ${text}` : `quote ${text}`;
      return expressions.name({ text: block ? text : inline, block, instead: value });
    }
    if (Array.isArray(value))
      return value.map((one, at) =>
        visit(one, `${path}.${isMap(one) && path.endsWith('.env') ? (one.name as string) : at}`),
      );
    if (isMap(value))
      return Object.fromEntries(
        Object.entries(value).map(([key, one]) => [key, visit(one, path ? `${path}.${key}` : key)]),
      );
    if (typeof value !== 'string') return value;
    if (isSecretName(path, value)) {
      const name = `secrets.${valueName(value)}`;
      defaults.set(name, value);
      return expressions.name({ text: `quote .Values.${name}`, instead: value });
    }
    if (path.endsWith('.image') && value === 'roster')
      return expressions.name({ text: 'include "roster.image" .', instead: value });
    const isNamespace =
      path === 'metadata.namespace' || (path === 'metadata.name' && object === 'Namespace roster');
    if (isNamespace) return namespace;
    return value.replace(/\.roster\.svc\b/g, `.${namespace}.svc`);
  };
  const named = visit(manifest as Value, '') as unknown as Manifest;
  // Of a Job, the template is immutable: each release has one of its own.
  if (object === 'Job migrate') {
    const tag = expressions.name({ text: 'include "roster.tag" .', instead: 'TAG' });
    named.metadata = { ...named.metadata, name: `migrate-${tag}` };
  }
  return named;
}

export function mapStrings(value: Value, change: (text: string) => string): Value {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((one) => mapStrings(one, change));
  if (!isMap(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, mapStrings(one, change)]),
  );
}
