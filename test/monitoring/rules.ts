import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { repository } from './repository.js';

export interface Alert {
  alert: string;
  expr: string;
  for?: string;
  labels: Record<string, string>;
  annotations: Record<string, string>;
}

export interface Recording {
  record: string;
  expr: string;
  labels?: Record<string, string>;
}

export interface Group {
  name: string;
  interval: string;
  rules: (Alert | Recording)[];
}

interface PrometheusRule {
  kind: string;
  metadata: { name: string };
  spec: { groups: Group[] };
}

const directory = repository('deploy/kubernetes/components/monitoring/rules/');

/** The PrometheusRule objects of the component, by file name without extension. */
export const prometheusRules: ReadonlyMap<string, PrometheusRule> = new Map(
  readdirSync(directory)
    .toSorted()
    .map((file) => [
      file.replace('.yaml', ''),
      parse(readFileSync(directory + file, 'utf8')) as PrometheusRule,
    ]),
);

const rules = [...prometheusRules.values()].flatMap(({ spec }) =>
  spec.groups.flatMap((group) => group.rules),
);
export const alerts = rules.filter((rule) => 'alert' in rule);
export const recordings = rules.filter((rule) => 'record' in rule);
