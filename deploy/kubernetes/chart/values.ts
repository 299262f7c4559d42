/** values.yaml and values.schema.json: what may be set, with the defaults of the manifests. */
import { Document } from 'yaml';

import type { Value } from './conditional.js';
import { processes, settings } from './settings.js';
import { valueName } from './template.js';

export interface Image {
  repository: string;
  /** Pins the image. */
  digest?: string;
}

const comments: Record<string, string> = {
  image:
    ' The tag is by default the version of the chart. The migration is a Job that is named after it.',
  createNamespace:
    ' Only for `helm template`: `helm install` needs the namespace before, or --create-namespace.',
  components:
    ' README.md describes them. PostgreSQL is one of singleNode, postgres and externalPostgres; NATS one of singleNode, nats and\n externalNats.',
  secrets: ' Names of the Secrets: none is created, except with externalSecrets.',
  gateway: ' config: variables of the process (deploy/environment.md), as strings.',
};

export function chartValues(
  components: readonly string[],
  image: Image,
  defaults: ReadonlyMap<string, Value>,
): string {
  const values: Record<string, Value> = {
    image: {
      repository: image.repository,
      tag: '',
      digest: image.digest ?? '',
      pullPolicy: '',
      pullSecrets: [],
    },
    createNamespace: false,
    components: Object.fromEntries(components.map((name) => [valueName(name), false])),
    ...Object.fromEntries(processes.map((name) => [name, { config: {} }])),
  };
  for (const [path, value] of [...defaults].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const [section, field] = path.split('.') as [string, string];
    values[section] = { ...(values[section] as object), [field]: value };
  }
  const document = new Document(values);
  for (const [key, comment] of Object.entries(comments)) {
    const pair = (
      document.contents as { items?: { key: { value: string; commentBefore?: string } }[] }
    ).items!.find((one) => one.key.value === key);
    if (pair) pair.key.commentBefore = comment;
  }
  return document.toString({ lineWidth: 0 });
}

/** @param variables the names of the variables of each process */
export function valuesSchema(
  components: readonly string[],
  defaults: ReadonlyMap<string, Value>,
  variables: Readonly<Record<string, readonly string[]>>,
): string {
  const object = (properties: Record<string, object>) => ({
    type: 'object',
    additionalProperties: false,
    properties,
  });
  const text = { type: 'string' };
  const sections: Record<string, Record<string, object>> = {
    image: {
      repository: { type: 'string', minLength: 1 },
      // The Job of the migration is named after it.
      tag: { type: 'string', pattern: '^[a-z0-9]?[a-z0-9.-]{0,54}$' },
      digest: { type: 'string', pattern: '^(sha256:[0-9a-f]{64})?$' },
      pullPolicy: { enum: ['', 'Always', 'IfNotPresent', 'Never'] },
      pullSecrets: { type: 'array', items: object({ name: text }) },
    },
    components: Object.fromEntries(
      components.map((name) => [valueName(name), { type: 'boolean' }]),
    ),
    ...Object.fromEntries(
      processes.map((name) => [
        name,
        {
          config: {
            type: 'object',
            propertyNames: { enum: variables[name] },
            additionalProperties: text,
          },
        },
      ]),
    ),
  };
  for (const path of defaults.keys()) {
    const [section, field] = path.split('.') as [string, string];
    const setting = settings.find(({ value }) => value === path);
    sections[section] ??= {};
    sections[section][field] = setting?.schema ?? { type: 'string', minLength: 1 };
  }
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    ...object({
      ...Object.fromEntries(
        Object.entries(sections).map(([name, fields]) => [name, object(fields)]),
      ),
      createNamespace: { type: 'boolean' },
      // What a chart that contains this one sets.
      global: { type: 'object' },
    }),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

/** The variables of each process, from the tables of deploy/environment.md. */
export function variablesOf(page: string): Record<string, string[]> {
  const sections = new Map(
    page.split(/^## /m).map((section) => {
      const [title = ''] = section.split('\n');
      return [
        title,
        [...section.matchAll(/^\| `([A-Z][A-Z0-9_]*)` \|/gm)].map(([, name]) => name!),
      ];
    }),
  );
  return Object.fromEntries(
    processes.map((name) => {
      const title = name[0]!.toUpperCase() + name.slice(1);
      const titles = ['Every process', 'Several processes', title];
      if (name !== 'gateway') titles.push('Every service');
      // Node's own, which the base sets.
      const all = new Set([...titles.flatMap((one) => sections.get(one) ?? []), 'NODE_ENV']);
      return [name, [...all].toSorted()];
    }),
  );
}
