/**
 * A chart for Helm with the objects that kustomize builds from base and components. Its templates are the manifests themselves, with
 * conditions and values; nothing of it is written by hand.
 */
import { stringify } from 'yaml';

import { always, choose, type Presence, type Tree, type Value } from './conditional.js';
import { plainNames, readObjects, type Build, type ChartObject } from './objects.js';
import { processes } from './settings.js';
import { anyOf, Expressions, presenceLines, templateOf, valueName } from './template.js';
import { chartValues, valuesSchema, variablesOf, type Image } from './values.js';

export { plainNames, valueName, type Build };

export interface ChartSource {
  build: Build;
  /** Paths below `components`. */
  components: readonly string[];
  version: string;
  description: string;
  image: Image;
  /** The text of deploy/environment.md. */
  environmentPage: string;
}

export interface Chart {
  /** By path in the chart. */
  files: ReadonlyMap<string, string>;
  objects: readonly ChartObject[];
  expressions: Expressions;
}

export async function generateChart(source: ChartSource): Promise<Chart> {
  const { components, version, description, image } = source;
  const expressions = new Expressions();
  const defaults = new Map<string, Value>();
  const objects = await readObjects(source.build, components, expressions, defaults);
  const files = new Map<string, string>([
    [
      'Chart.yaml',
      stringify({
        apiVersion: 'v2',
        name: 'roster',
        description,
        type: 'application',
        version,
        appVersion: version,
        kubeVersion: '>=1.30.0-0',
        annotations: { 'org.opencontainers.image.licenses': 'MIT' },
      }),
    ],
    ['values.yaml', chartValues(components, image, defaults)],
    ['values.schema.json', valuesSchema(components, defaults, variablesOf(source.environmentPage))],
    ['templates/_helpers.tpl', helpers],
    ['templates/check-components.yaml', checks],
    ['templates/NOTES.txt', notes],
  ]);
  for (const [file, all] of Map.groupBy(objects, (object) => object.file)) {
    const [{ component }] = all as [ChartObject];
    const documents = all.map((object) => document(object, objects));
    const text = expressions.fillIn(documents.join('\n---\n'));
    files.set(
      fileInChart(file),
      component === undefined
        ? `${text}\n`
        : `{{- if ${anyOf([component])} }}\n${text}\n{{- end }}\n`,
    );
  }
  return { files, objects, expressions };
}

/** The objects that the chart renders with these components, with the values of the manifests. */
export const objectsWith = (
  { objects, expressions }: Chart,
  chosen: ReadonlySet<string>,
): object[] =>
  objects
    .filter(({ component }) => component === undefined || chosen.has(component))
    .map(({ tree }) => expressions.undo(choose(tree, chosen)) as object);

const fileInChart = (file: string): string => `templates/${file.replace(/^base\//, '')}`;

function document(object: ChartObject, objects: readonly ChartObject[]): string {
  const { name, tree, component } = object;
  const [kind, ownName = ''] = name.split(' ');
  if (name === 'Namespace roster')
    return `{{- if .Values.createNamespace }}\n${templateOf(tree)}\n{{- end }}`;
  if (kind === 'ConfigMap' && component === undefined && processes.includes(ownName))
    return configMap(ownName, tree);
  let text = withChecksums(templateOf(tree), object, objects);
  if (kind === 'ServiceAccount')
    text += `\n{{- with .Values.image.pullSecrets }}\nimagePullSecrets:\n{{- toYaml . | nindent 2 }}\n{{- end }}`;
  return text.replace(
    /^( *)((?:- )?)image: EXPRESSION-\d+-$/gm,
    (line, indent: string, dash: string) => {
      const width = `${indent}${dash && '  '}`;
      return `${line}\n${width}{{- with .Values.image.pullPolicy }}\n${width}imagePullPolicy: {{ . }}\n${width}{{- end }}`;
    },
  );
}

/** The variables of a process: those of the manifests, and those of the values, which override them. */
function configMap(name: string, tree: Tree): string {
  const entries: [string, Presence, Tree][] =
    tree.kind === 'map'
      ? tree.entries
      : Object.entries((tree as { value: Record<string, Value> }).value).map(([key, value]) => [
          key,
          always,
          { kind: 'same', value },
        ]);
  const data = entries.find(([key]) => key === 'data')?.[2];
  if (!data) throw new Error(`The ConfigMap ${name} has no data.`);
  return [
    templateOf({ kind: 'map', entries: entries.filter(([key]) => key !== 'data') }),
    '{{- $data := dict }}',
    ...presenceLines(
      data,
      (key, text) => `{{- $_ := set $data ${JSON.stringify(key)} ${JSON.stringify(text)} }}`,
    ),
    'data:',
    `{{- toYaml (merge (deepCopy .Values.${name}.config) $data) | nindent 2 }}`,
  ].join('\n');
}

/** Pods are replaced when a ConfigMap changes that they read: kustomize puts a hash into its name for that. */
function withChecksums(
  text: string,
  { name, component }: ChartObject,
  objects: readonly ChartObject[],
): string {
  if (!/^(Deployment|StatefulSet) /.test(name)) return text;
  const read = objects.filter(
    (one) =>
      one.name.startsWith('ConfigMap ') &&
      one.file.includes('/config-map-') &&
      (one.component === undefined || one.component === component) &&
      new RegExp(
        `configMap(Ref)?:\\n(?: [^\\n]*\\n){0,8}? +name: ${one.name.slice(10)}$`,
        'm',
      ).test(text),
  );
  if (read.length === 0) return text;
  const lines = read.map(
    ({ name: map, file }) =>
      `        checksum/${map.slice(10)}: {{ include (print $.Template.BasePath "/${fileInChart(file).slice(10)}") . | sha256sum }}`,
  );
  return text.replace(
    /^ {2}template:\n {4}metadata:\n/m,
    `$&      annotations:\n${lines.join('\n')}\n`,
  );
}

const helpers = `{{- define "roster.tag" -}}
{{- .Values.image.tag | default .Chart.AppVersion -}}
{{- end }}

{{- define "roster.image" -}}
{{- .Values.image.repository }}:{{ include "roster.tag" . }}{{ with .Values.image.digest }}@{{ . }}{{ end -}}
{{- end }}
`;

const sources = {
  PostgreSQL: ['single-node', 'postgres', 'external-postgres'],
  NATS: ['single-node', 'nats', 'external-nats'],
};

const checks = `${Object.entries(sources)
  .map(([server, components]) => {
    const all = components.map((one) => `.Values.components.${valueName(one)}`).join(' ');
    const names = components.map((one) => `components.${valueName(one)}`).join(', ');
    return `{{- if ne (len (without (list ${all}) false)) 1 }}
{{- fail "Set one of ${names} to true: the source of ${server}." }}
{{- end }}`;
  })
  .join('\n')}
{{- if and .Values.components.keda (not .Values.components.nats) }}
{{- fail "components.keda requires components.nats." }}
{{- end }}
`;

const notes = `Wait until the pods are ready:

  kubectl -n {{ .Release.Namespace }} rollout status deployment --timeout=10m

Then create the first workspace, with the seed of the operator in the Secret {{ .Values.secrets.nats }}:

  kubectl -n {{ .Release.Namespace }} get secret {{ .Values.secrets.nats }} -o 'go-template={{ "{{" }}index .data "operator-seed" | base64decode}}' |
    kubectl -n {{ .Release.Namespace }} exec -i deploy/users -- env NATS_NKEY_SEED_FILE=/dev/stdin roster workspace create --name Acme --owner-email owner@acme.example --owner-name Owner
`;
