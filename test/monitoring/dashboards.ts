import { readdirSync, readFileSync } from 'node:fs';
import { repository } from './repository.js';

export interface Panel {
  id: number;
  type: string;
  title: string;
  description?: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: { type: string; uid: string };
  fieldConfig?: { defaults: { unit?: string } };
  targets?: { refId: string; expr: string; legendFormat?: string; datasource: { uid: string } }[];
}

export interface Dashboard {
  uid: string;
  title: string;
  tags: string[];
  templating: { list: { name: string; type: string; query: string | { query: string } }[] };
  panels: Panel[];
}

const directory = repository('deploy/kubernetes/components/monitoring/dashboards/');

/** The dashboards of the component, by file name. */
export const dashboards: ReadonlyMap<string, Dashboard> = new Map(
  readdirSync(directory)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => [file, JSON.parse(readFileSync(directory + file, 'utf8')) as Dashboard]),
);

/** A query as Prometheus receives it: with Grafana's variables replaced. */
export const asSent = (expr: string): string =>
  expr.replaceAll('$__rate_interval', '5m').replaceAll('$__range', '1h');
