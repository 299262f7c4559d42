import { metricsReference } from './metrics-reference.js';
import { inspectQuery } from './promql.js';
import { recordings } from './rules.js';

/** Labels that Prometheus adds to every series that it scrapes from a pod. */
const targetLabels = ['namespace', 'pod', 'container', 'endpoint', 'instance', 'job'];

/** Metrics of Prometheus itself. No other exporter may be required. */
const ofOthers: Record<string, string[]> = {
  up: targetLabels,
  ALERTS: [...targetLabels, 'alertname', 'alertstate', 'severity', 'service'],
};

const known = new Map<string, ReadonlySet<string>>();

for (const { name, type, labels } of metricsReference().values()) {
  const all = [...labels, 'service', ...targetLabels];
  if (type !== 'histogram') known.set(name, new Set(all));
  else {
    known.set(`${name}_bucket`, new Set([...all, 'le']));
    known.set(`${name}_sum`, new Set(all));
    known.set(`${name}_count`, new Set(all));
  }
}
for (const [name, labels] of Object.entries(ofOthers)) known.set(name, new Set(labels));
// In the order of their groups: each is known to the following ones.
for (const { record, expr, labels = {} } of recordings) {
  const resulting = inspectQuery(expr, labelsOf).labels;
  const sooner = known.get(record) ?? [];
  known.set(record, new Set([...sooner, ...resulting, ...Object.keys(labels)]));
}

/** Labels of a metric that the processes export, that a rule records, or that Prometheus itself exports. */
export function labelsOf(metric: string): ReadonlySet<string> | undefined {
  return known.get(metric);
}
