import { Counter, type Metric, type Registry } from 'prom-client';

/** Notes that calls of an operation had a label or value. `times` is 1 by default. */
type Note<Value> = (operation: string, value: Value, times?: number) => void;

interface Described {
  name: string;
  help: string;
}

/**
 * A counter by operation and one further label. It is shown by prom-client, and counted here: prom-client makes a text of the
 * labels with each increment, which takes ten times as long.
 */
export function countByOperation<Value extends string | number>(
  registry: Registry,
  { name, help, label }: Described & { label: string },
): Note<Value> {
  const counts = new Map<string, Map<Value, number>>();
  new Counter({
    name,
    help,
    labelNames: ['operation', label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [operation, ofOperation] of counts)
        for (const [value, count] of ofOperation) this.inc({ operation, [label]: value }, count);
    },
  });
  return (operation, value, times = 1) => {
    let ofOperation = counts.get(operation);
    if (!ofOperation) counts.set(operation, (ofOperation = new Map<Value, number>()));
    ofOperation.set(value, (ofOperation.get(value) ?? 0) + times);
  };
}

interface Distribution {
  /** By the index of the smallest bucket, and last those above all buckets. */
  counts: number[];
  sum: number;
}

/** A histogram by operation, which is counted here as a counter is. prom-client has no way to set the buckets of its own. */
export function histogramByOperation(
  registry: Registry,
  { name, help, buckets }: Described & { buckets: readonly number[] },
): Note<number> {
  const distributions = new Map<string, Distribution>();
  const type = 'histogram';
  const aggregator = 'sum';
  const get = async () => ({
    ...{ name, help, type, aggregator },
    values: [...distributions].flatMap(([operation, { counts, sum }]) => {
      let count = 0;
      const shown = [...buckets, '+Inf'].map((le, index) => {
        count += counts[index]!;
        return { metricName: `${name}_bucket`, labels: { le, operation }, value: count };
      });
      const total = [
        { metricName: `${name}_sum`, labels: { operation }, value: sum },
        { metricName: `${name}_count`, labels: { operation }, value: count },
      ];
      return [...shown, ...total];
    }),
  });
  const metric = { name, help, type, aggregator, get, reset: () => distributions.clear() };
  registry.registerMetric(metric as unknown as Metric);
  return (operation, value, times = 1) => {
    let distribution = distributions.get(operation);
    if (!distribution) {
      distribution = { counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 };
      distributions.set(operation, distribution);
    }
    let index = 0;
    while (index < buckets.length && value > buckets[index]!) index += 1;
    distribution.counts[index]! += times;
    distribution.sum += value * times;
  };
}
