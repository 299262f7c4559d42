import { number } from '../compare/report.js';
import { jobs } from '../jobs/jobs.js';
import { medianOf } from '../load/latencies.js';
import type { Figures, Round } from './pair.js';

export type PairLoad = 'clients64' | 'half' | 'client1';

export interface SystemComparison {
  job: string;
  names: [former: string, own: string];
  /** Requests per second offered at half load. */
  halfLoad: number;
  rounds: Record<PairLoad, Round[]>;
  /** Maximum ratio of the CPU time with 64 clients, if there is one. */
  expected: number | undefined;
}

/** The figures of a job as a table: medians of the rounds, and the median of the ratios of the rounds. */
export function report({ job, names, halfLoad, rounds, expected }: SystemComparison): string {
  const titles: Record<PairLoad, string> = {
    clients64: '64 clients',
    half: `half load, ${number(halfLoad, 0)}/s`,
    client1: '1 client',
  };
  const lines = [`\n${job}: ${jobs[job]!.title}`, row('', ...names, 'ratio')];
  for (const [load, title] of Object.entries(titles) as [PairLoad, string][]) {
    const figure = (name: string, digits: number, value: (one: Figures) => number) =>
      lines.push(figureRow(`${title}, ${name}`, digits, rounds[load], value));
    if (load !== 'half') figure('requests/s', 0, ({ perSecond }) => perSecond);
    figure('p50 ms', 2, ({ latencyMs }) => latencyMs.p50);
    figure('p99 ms', 2, ({ latencyMs }) => latencyMs.p99);
    const parts = load === 'clients64' ? Object.keys(rounds[load][0]![0].cpuMicros) : ['sum'];
    for (const part of parts) figure(`CPU µs, ${part}`, 0, ({ cpuMicros }) => cpuMicros[part]!);
    if (load === 'clients64' && expected !== undefined)
      lines.push(verdictOn(rounds[load], expected));
  }
  return [...lines, ...refusals(names, rounds)].join('\n');
}

function figureRow(
  name: string,
  digits: number,
  rounds: readonly Round[],
  value: (one: Figures) => number,
): string {
  const values = rounds.map(([former, own]) => [value(former), value(own)] as const);
  const medians = [0, 1].map((at) => number(medianOf(values.map((pair) => pair[at]!)), digits));
  const ratios = values.map(([former, own]) => own / former);
  const [least, greatest] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) =>
    number(ratio, 2),
  );
  return row(name, ...medians, `${number(medianOf(ratios), 2)} ×`) + `  (${least}–${greatest})`;
}

function verdictOn(rounds: readonly Round[], expected: number): string {
  const ratio = medianOf(rounds.map(([former, own]) => own.cpuMicros.sum! / former.cpuMicros.sum!));
  return row('', '', '', `≤ ${expected} × ${ratio <= expected ? '✓' : '✗'}`);
}

/** Unexpected responses. A good run has none. */
function refusals(names: readonly string[], rounds: SystemComparison['rounds']): string[] {
  return names.flatMap((name, at) =>
    Object.values(rounds)
      .flat()
      .flatMap((pair) => Object.entries(pair[at]!.otherStatuses))
      .map(([status, count]) => `  ${name}: ${count} answered ${status}`),
  );
}

const row = (name: string, ...values: string[]): string =>
  `  ${name.padEnd(36)}${values.map((value) => value.padStart(12)).join('')}`;
