import { medianOf } from '../load/latencies.js';
import { isAtLeast, type Expectation } from './expectations.js';
import { saturation, type JobResult, type LoadName } from './compare-job.js';
import type { Measurement } from './measure.js';

const loadNames: Record<LoadName, string> = {
  clients64: '64 clients',
  clients256: '256 clients',
  client1: '1 client',
  half: 'half load',
};

/** The figures of a job as a table. */
export function report(result: JobResult): string {
  const { rounds, rivals, halfLoad } = result;
  const names = [...rivals, 'roster'];
  const lines: string[] = [`\n${result.job}: ${result.title}`];
  lines.push(row('', ...names));
  for (const load of Object.keys(loadNames) as LoadName[]) {
    const figures = names.map((name) => rounds[name]![load] ?? []);
    if (figures.some((all) => all.length === 0)) continue;
    const median = (value: (one: Measurement) => number, digits: number) =>
      figures.map((all) => number(medianOf(all.map(value)), digits));
    const title = load === 'half' ? `half load, ${number(halfLoad, 0)}/s` : loadNames[load];
    if (load !== 'half') lines.push(row(`${title}, requests/s`, ...median((m) => m.perSecond, 0)));
    lines.push(row(`${title}, p50 ms`, ...median((m) => m.latencyMs.p50, 2)));
    lines.push(row(`${title}, p99 ms`, ...median((m) => m.latencyMs.p99, 2)));
  }
  lines.push(...processLines(result, names), ...refusalLines(result, names), '');
  const trials = Object.entries(result.trials).map(([name, rate]) => `${name} ${number(rate, 0)}`);
  lines.push(`  before the rounds, requests/s: ${trials.join(', ')}`);
  const limits = Object.entries(result.limits).map(([name, rate]) => `${name} ${number(rate, 0)}`);
  if (limits.length > 0) lines.push(`  limits, requests/s: ${limits.join(', ')}`);
  return [...lines, ...ratioLines(result)].join('\n');
}

function processLines({ rounds }: JobResult, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const { clients64, clients256 } = rounds[name]!;
    const with64 = saturation(rounds[name]!, 0) === clients64[0]!.perSecond;
    const better = with64 || clients256 === undefined ? clients64 : clients256;
    const list = (pick: (one: Measurement) => Record<string, number>, digits: number) =>
      Object.keys(pick(better[0]!))
        .map((part) => [part, medianOf(better.map((one) => pick(one)[part] ?? 0))] as const)
        .filter(([, value]) => value >= 0.5)
        .map(([part, value]) => `${part} ${number(value, digits)}`)
        .join(', ');
    return [
      `  ${name}, CPU µs/request: ${list((one) => withSum(one.cpuMicros), 0)}`,
      `  ${name}, RSS MiB: ${list((one) => one.rssMib, 0)}`,
    ];
  });
}

/** The sum is that of a contender and its servers, without the generator and other programs. */
function withSum(cpuMicros: Record<string, number>): Record<string, number> {
  const { load: _, others: __, ...own } = cpuMicros;
  return { ...cpuMicros, sum: Object.values(own).reduce((sum, micros) => sum + micros, 0) };
}

/** Unexpected responses, and the lateness of the load generator. A good run has neither. */
function refusalLines({ rounds }: JobResult, names: readonly string[]): string[] {
  return names.flatMap((name) => {
    const all = Object.values(rounds[name]!).flat();
    const wrong = all.flatMap(({ otherStatuses }) => Object.entries(otherStatuses));
    const lines = wrong.map(([status, count]) => `  ${name}: ${count} answered ${status}`);
    const lag = Math.max(...rounds[name]!.half.map(({ lagMs }) => lagMs.p99));
    if (lag > 2) lines.push(`  ${name}: the load was up to ${number(lag, 1)} ms late (p99)`);
    const missing = all.reduce((sum, { undelivered = 0 }) => sum + undelivered, 0);
    if (missing > 0) lines.push(`  ${name}: ${missing} requests without a delivery`);
    const stolen = Math.max(...all.map(({ stolenCores }) => stolenCores));
    if (stolen > 0.1) lines.push(`  ${name}: up to ${number(stolen, 2)} cores were stolen`);
    return lines;
  });
}

const ratioNames: Record<keyof Expectation, string> = {
  throughput: 'throughput at saturation',
  throughputAt64: 'throughput, 64 clients',
  p99AtHalf: 'p99 at half load',
  p50AtOne: 'p50 of one client',
};

export function ratioLines({ ratios, expected, verdicts }: JobResult): string[] {
  return (Object.keys(ratioNames) as (keyof Expectation)[]).flatMap((name) => {
    const ratio = ratios[name];
    if (ratio === undefined) return [];
    const { median, least, greatest } = ratio;
    const measured = `${number(median, 2)} × (${number(least, 2)}–${number(greatest, 2)})`;
    const bound = expected[name];
    const sign = isAtLeast(name) ? '≥' : '≤';
    const verdict = bound === undefined ? '' : `  ${sign} ${bound} × ${verdicts[name] ? '✓' : '✗'}`;
    return `  ${ratioNames[name].padEnd(26)}${measured.padEnd(24)}${verdict}`;
  });
}

const row = (name: string, ...values: string[]): string =>
  `  ${name.padEnd(30)}${values.map((value) => value.padStart(14)).join('')}`;

/** A dash if no response was measured. */
export const number = (value: number, digits: number): string =>
  Number.isFinite(value)
    ? value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits })
    : '–';
