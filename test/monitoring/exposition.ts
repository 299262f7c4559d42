/** A metric as exported by a process. */
export interface Exposed {
  name: string;
  type: string;
  help: string;
  /** One entry per sample: its labels and their values. */
  samples: Record<string, string>[];
}

/** Parses the Prometheus text format as prom-client writes it. */
export function readExposition(text: string): Map<string, Exposed> {
  const metrics = new Map<string, Exposed>();
  let current: Exposed | undefined;
  for (const line of text.split('\n')) {
    const [, name = '', help = ''] = /^# HELP (\w+) (.*)$/.exec(line) ?? [];
    if (name !== '') {
      current = { name, help, type: '', samples: [] };
      metrics.set(name, current);
    } else if (line.startsWith('# TYPE ')) current!.type = line.split(' ')[3]!;
    else if (line !== '') current!.samples.push(labelsOf(line));
  }
  return metrics;
}

const labelsOf = (sample: string): Record<string, string> =>
  Object.fromEntries(
    [...sample.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, label, value]) => [label, value]),
  ) as Record<string, string>;
