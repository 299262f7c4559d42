import { readFileSync } from 'node:fs';
import { repository } from './repository.js';

/** A metric as documented in `deploy/metrics.md`. */
export interface Metric {
  name: string;
  type: string;
  labels: string[];
  /** Names of processes, or `all`. */
  processes: string[];
  meaning: string;
}

/** Every documented metric, by name. */
export function metricsReference(): Map<string, Metric> {
  const rows = readFileSync(repository('deploy/metrics.md'), 'utf8').matchAll(
    /^\| `(?<name>\w+)` \| (?<type>\w+) \| (?<labels>.*?) \| (?<processes>.*?) \| (?<meaning>.*) \|$/gm,
  );
  return new Map(
    [...rows].map(({ groups }) => {
      const { name, type, labels, processes, meaning } = groups as Record<keyof Metric, string>;
      return [
        name,
        {
          name,
          type,
          labels: labels === '–' ? [] : labels.split(', ').map((label) => label.slice(1, -1)),
          processes: processes.split(', '),
          meaning,
        },
      ];
    }),
  );
}
